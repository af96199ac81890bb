/** One page of A4, blank: the smallest PDF that can be signed. */
const BLANK_PAGE = [
  "%PDF-1.4",
  "1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj",
  "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj",
  "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<<>>>>endobj",
];

const blankPdf = (): Buffer => {
  let file = `${BLANK_PAGE[0]}\n`;
  const rows = BLANK_PAGE.slice(1).map((object) => {
    const row = `${String(file.length).padStart(10, "0")} 00000 n \n`;
    file += `${object}\n`;
    return row;
  });
  const start = file.length;
  file += `xref\n0 4\n0000000000 65535 f \n${rows.join("")}trailer<</Size 4/Root 1 0 R>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, "latin1");
};

/** A document request that can be sent as it is. */
export const documentSetExample = {
  document: blankPdf().toString("base64"),
  document_name: "Lease agreement",
  custom_parameters: { order: 17 },
  webhook_url: "https://example.com/rubrica",
  webhook_key: { "x-api-secret": "a secret of yours" },
  datos_firmantes: [
    { name: "Ana Paz", dni: "30.123.456", dni_country: "AR", phone: "+54 9 11 2233-4455", position: "1" },
    { name: "李雷", dni: "E12345678", dni_country: "CN", phone: "+8613800138000", position: "2" },
  ],
};

const id = "019aa5c0-0000-7000-8000-0000000000d1";
const link = {
  link: "https://rubrica.example.com/s/AQGapcAAAHAAgAAAAAAAANEAAJ8s4cUT5mVWzqSfbv0vWlY",
  name: "Ana Paz",
  dni: "30123456",
  contact: "5491122334455",
  method: "wpp" as const,
  id_custom: "019aa5c0-0000-7000-8000-000000000051",
};

/** Its answer. */
export const documentSetAnswerExample = {
  id_seguimiento: id,
  created_at: 1_795_273_445,
  has_queued_signers: true,
  urls: [{ ...link, queued: true, queued_behind: "019aa5c0-0000-7000-8000-0000000000d0" }],
};

/** Its legacy answer. */
export const legacyAnswerExample = { id_seguimiento: id, created_at: 1_795_273_445, urls: [link] };
