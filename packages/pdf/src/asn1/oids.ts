/** Object identifiers that seals, certificates and timestamps use. */
export const oid = {
  // CMS (RFC 5652)
  data: "1.2.840.113549.1.7.1",
  signedData: "1.2.840.113549.1.7.2",
  contentType: "1.2.840.113549.1.9.3",
  messageDigest: "1.2.840.113549.1.9.4",
  // ESS (RFC 5035) and timestamps (RFC 3161)
  signingCertificate: "1.2.840.113549.1.9.16.2.12",
  signingCertificateV2: "1.2.840.113549.1.9.16.2.47",
  signatureTimeStamp: "1.2.840.113549.1.9.16.2.14",
  tstInfo: "1.2.840.113549.1.9.16.1.4",
  // OCSP (RFC 6960)
  ocsp: "1.3.6.1.5.5.7.48.1",
  basicOcspResponse: "1.3.6.1.5.5.7.48.1.1",
  ocspNonce: "1.3.6.1.5.5.7.48.1.2",
  ocspNoCheck: "1.3.6.1.5.5.7.48.1.5",
  ocspSigning: "1.3.6.1.5.5.7.3.9",
  // This service's own, of a random UUID (ITU-T X.667): what a signature is over
  rubricaNamed: "2.25.26058370426247695199505970151257572933",
  // Algorithms
  mgf1: "1.2.840.113549.1.1.8",
  sha1: "1.3.14.3.2.26",
  sha256: "2.16.840.1.101.3.4.2.1",
  sha256WithRsa: "1.2.840.113549.1.1.11",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  // Certificates (RFC 5280)
  commonName: "2.5.4.3",
  organizationName: "2.5.4.10",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  basicConstraints: "2.5.29.19",
  crlNumber: "2.5.29.20",
  issuingDistributionPoint: "2.5.29.28",
  crlDistributionPoints: "2.5.29.31",
  authorityKeyIdentifier: "2.5.29.35",
  authorityInformationAccess: "1.3.6.1.5.5.7.1.1",
  extendedKeyUsage: "2.5.29.37",
  timeStamping: "1.3.6.1.5.5.7.3.8",
  caIssuers: "1.3.6.1.5.5.7.48.2",
} as const;
