import type { CertificateStatus, LaterChanges, Named, Proof, SignedKind, VerifiedSignature } from "@rubrica/pdf";
import type { Tone } from "@rubrica/report/rendering";
import type { Verdict } from "../verdict.ts";

/** What a result says, as the page says it. */
export const verdictTexts: Readonly<Record<Verdict, { tone: Tone; title: string; sentence: string }>> = {
  valid: {
    tone: "good",
    title: "El documento es auténtico",
    sentence:
      "Es exactamente el archivo que se firmó y selló en este servicio: no cambió ni un bit, y el registro de todo lo que pasó con él está íntegro.",
  },
  unrecorded: {
    tone: "good",
    title: "Sellado por este servicio y sin cambios",
    sentence:
      "El sello es de este servicio y el archivo no cambió desde entonces. No es un documento firmado que esté en sus registros: puede ser un informe legal o el resultado de una verificación, que se emiten de nuevo cada vez que se piden.",
  },
  data_by_others: {
    tone: "muted",
    title: "Sellado por este servicio, con datos de otros",
    sentence:
      "El sello es de este servicio y lo que se selló no cambió. Lleva sellos de tiempo o datos de validación de autoridades que este servicio no reconoce, que alguien pudo agregar después: de lo que dicen no se comprobó nada.",
  },
  certificate_invalid: {
    tone: "muted",
    title: "El certificado del sello no valía",
    sentence:
      "El sello es de este servicio y el archivo no cambió desde entonces, pero su certificado había vencido o fue revocado, y nada prueba que se selló antes. Pida el archivo a quien se lo envió, o consulte al servicio.",
  },
  record_contradicted: {
    tone: "bad",
    title: "El registro no concuerda con el archivo",
    sentence:
      "El registro de este servicio nombra este archivo, pero el archivo no lleva el sello o los sellos de tiempo que el registro dice. O el registro fue alterado, o se selló con un certificado que este servicio ya no reconoce. No lo acepte sin consultar a quien se lo envió.",
  },
  record_unproven: {
    tone: "muted",
    title: "Nada firmado prueba de qué documento es",
    sentence:
      "El sello es de este servicio y el archivo no cambió desde entonces, pero es de una versión anterior que no dice sobre qué se puso, y el registro que lo nombra no está en el primer resumen firmado (/pki/heads). No lo acepte sin consultar al servicio.",
  },
  record_missing: {
    tone: "muted",
    title: "Sellado por este servicio, pero el registro no tiene este archivo",
    sentence:
      "El sello es de este servicio y nombra un documento, pero el registro de ese documento no tiene este archivo: puede faltarle lo que se selló después, como otras firmas, o al registro le falta algo. No lo acepte sin consultar a quien se lo envió; pida el archivo completo.",
  },
  evidence_broken: {
    tone: "bad",
    title: "El registro de este documento fue alterado",
    sentence:
      "El registro del documento al que pertenece, o que lo nombra, ya no está íntegro y no prueba nada de él. Abajo está lo que dice el archivo mismo. No lo acepte sin consultar a quien se lo envió.",
  },
  changed: {
    tone: "bad",
    title: "El archivo fue modificado",
    sentence:
      "No está como lo dejaron sus firmas: algo cambió después de firmarlo. No lo acepte; pida el original a quien se lo envió.",
  },
  foreign: {
    tone: "muted",
    title: "No es un documento de este servicio",
    sentence:
      "Tiene firmas electrónicas, pero no es un archivo que este servicio haya sellado, o alguien le agregó firmas después. Abajo está lo que se pudo comprobar de cada firma.",
  },
  unsigned: {
    tone: "muted",
    title: "El archivo no tiene firmas electrónicas",
    sentence: "Puede ser el documento antes de firmarse, o una copia impresa o escaneada. Pida el archivo firmado.",
  },
  unreadable: {
    tone: "bad",
    title: "No se pudo leer el archivo",
    sentence: "No es un PDF, está dañado, o es demasiado complejo para comprobarlo.",
  },
};

const sealedKinds: Readonly<Record<SignedKind, string>> = {
  document: "Documento firmado",
  part: "Parte del documento firmado, al que siguen otros sellos",
  report: "Informe legal del documento",
  verification: "Resultado de la verificación del archivo",
  head: "Cabeza del registro de eventos",
};

const laterChanges: Readonly<Record<LaterChanges, string>> = {
  none: "Ninguno",
  signing: "Solo otras firmas, datos de validación y metadatos",
  other: "El contenido cambió después de esta firma",
};

const certificateStates: Readonly<Record<CertificateStatus["status"], string>> = {
  good: "Vigente y sin revocar",
  unknown: "Vigente; no se sabe si fue revocado, o si puede usarse así",
  not_yet_valid: "Todavía no era válido",
  expired: "Vencido",
  revoked: "Revocado",
};

const proofs: Readonly<Record<Proof["by"], string>> = {
  signature_timestamp: "Sello de tiempo sobre la firma",
  document_timestamp: "Sello de tiempo sobre el documento",
  record: "El registro de este servicio",
};

export const spanish = {
  language: "es",
  title: "Resultado de la verificación",
  page: "Página {page} de {pages}",
  footer: (sha256: string) => `Verificación del archivo ${sha256.slice(0, 16)}…`,
  verifyOnline: "Comprobar si otro archivo es este",
  judgedAt: (at: string, url: string) => `Comprobado el ${at} por ${url}`,
  file: "Archivo",
  bytes: (count: number) => `${number(count)} bytes`,
  size: "Tamaño",
  judgedLabel: "Comprobado el",
  sha256: "Huella (SHA-256)",
  signatureCount: "Firmas y sellos",
  noMore: (shown: number, of: number) =>
    `Se muestran las últimas ${shown} de ${of} firmas; las demás están en el resultado en JSON.`,
  record: "Registro del servicio",
  notOnRecord: "Ningún documento de los que este servicio selló es este archivo.",
  recordBroken:
    "El registro del documento al que pertenece este archivo fue alterado o está incompleto: no prueba nada.",
  documentId: "Documento",
  sealedAt: "Sellado el",
  level: "Nivel de la firma",
  events: "Registro de eventos",
  eventsState: (intact: boolean) => (intact ? "Íntegro" : "Alterado: las fechas del registro no prueban nada"),
  authority: "Autoridad del certificado",
  authorities: (own: boolean | null) => {
    if (own === null) return "No consta";
    return own ? "Propia del servicio: nadie más la reconoce" : "Ajena al servicio";
  },
  simulated: "Simulado",
  demo: "es de la cuenta de demostración",
  simulatedMessages: "los mensajes fueron simulados",
  simulatedIdentity: "la validación de identidad fue simulada",
  attention: (parts: string) => `Atención: ${parts}; eso no es prueba.`,
  notice: "CONTIENE PARTES SIMULADAS: NO SON PRUEBA",
  signatures: "Firmas y sellos",
  kind: ({ kind, trusted }: VerifiedSignature) => {
    if (kind === "document_timestamp") return "Sello de tiempo";
    return trusted ? "Sello de este servicio" : "Firma de terceros";
  },
  state: ({ intact, changesAfter }: VerifiedSignature) => {
    if (intact === null) return "No se puede comprobar aquí";
    if (!intact) return "No coincide con el archivo";
    return changesAfter === "other" ? "Intacta en su momento, pero el archivo cambió después" : "Intacta";
  },
  stateLabel: "Estado",
  sealedAsLabel: "Qué dice sellar",
  sealedAs: ({ kind, id }: Named) => `${sealedKinds[kind]} ${id}`,
  signedBy: "Titular del certificado",
  uncheckedName: "Nombre que lleva el certificado (sin comprobar)",
  issuedBy: "Certificado emitido por",
  noName: "(ningún carácter que se pueda mostrar)",
  claimedAt: "Fecha que declara",
  noTime: "Ninguna",
  witness: "Quién da fe de la fecha",
  nobody: "Nadie: solo el firmante declara la fecha",
  proof: ({ by, trusted }: Proof, at: string) => {
    if (by === "record") return `${proofs[by]}, ${at}`;
    return `${proofs[by]}, ${at}, de una autoridad ${trusted ? "reconocida por este servicio" : "no reconocida por este servicio: no prueba la fecha"}:`;
  },
  certificate: "Certificado",
  certificateState: (status: CertificateStatus["status"], at: string) => `${certificateStates[status]}, al ${at}`,
  validity: (from: string, until: string) => `Válido del ${from} al ${until}`,
  revokedSince: (at: string) => `Revocado desde el ${at}`,
  revocationKnown: (at: string) => `Lo que se sabe de su revocación se dijo el ${at}`,
  coverage: "Qué abarca",
  covers: (covered: number, size: number) =>
    covered >= size
      ? `Todo el archivo (${number(size)} bytes)`
      : `Los primeros ${number(covered)} de ${number(size)} bytes: lo que sigue se agregó después`,
  later: "Cambios posteriores",
  laterChanges,
  fingerprint: "Huella del certificado (SHA-256)",
  scope: "Con qué se comprobó, y qué no dice",
  knowledge: (ownAuthority: boolean, authorities: number) =>
    `El archivo se buscó por su huella en el registro en línea de los documentos que este servicio selló. Los certificados se juzgaron con lo que el archivo trae${ownAuthority ? " y con la lista de revocación de hoy de la autoridad propia del servicio" : ""}: no se preguntó a otras autoridades. ${authorities === 0 ? "El servicio no reconoce a ninguna autoridad de sellado de tiempo." : `El servicio reconoce ${authorities === 1 ? "un certificado" : `${authorities} certificados`} de autoridades de sellado de tiempo.`}`,
  names:
    "Los nombres son los que llevan los certificados. De los que no son de este servicio no se comprobó quién los emitió: cualquiera puede hacer un certificado con cualquier nombre.",
  moment:
    "Esto es lo que se encontró en el momento indicado; el archivo no se guardó. Quien lo reciba puede comprobar que tiene el mismo archivo por su huella (sha256sum) o en la dirección del código QR. El sello de este resultado es del servicio, y solo dice quién lo emitió.",
};

const count = new Intl.NumberFormat("es", { useGrouping: "always" });
const number = (value: number): string => count.format(value);
