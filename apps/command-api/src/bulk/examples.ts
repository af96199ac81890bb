/** A bulk call: its DOCX comes from an address. */
export const bulkExample = {
  document_type: "docx",
  document: "https://example.com/contract.docx",
  firmante: { page: 0, position_x: 60, position_y: 700 },
  df: [
    { id: "A-17", "nombre y apellido": "Ana Paz", dni: "30.123.456", msg: "5491122334455", cuota: "$ 12.500" },
    { id: 18, "nombre y apellido": "Luis Gil", dni: "28.765.432", msg: "5491155667788", cuota: "$ 9.000" },
  ],
  webhook_url: "https://example.com/rubrica",
};

const link = "https://rubrica.example.com/s/AQGapcAAAHAAgAAAAAAAANEAAJ8s4cUT5mVWzqSfbv0vWlY";

/** Its answer. */
export const bulkAnswerExample = [
  { link, name: "Ana Paz", dni: "30123456", contact: "5491122334455", method: "wpp" as const, id_custom: "A-17" },
  { link, name: "Luis Gil", dni: "28765432", contact: "5491155667788", method: "wpp" as const, id_custom: 18 },
];
