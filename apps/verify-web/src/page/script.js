// Sends the chosen file to be checked, and tells in plain words what was found.

const byId = (id) => document.getElementById(id);
const drop = byId("drop");
const input = byId("file");
const result = byId("result");
const expected = new URLSearchParams(location.search);

const verdicts = {
  valid: [
    "good",
    "El documento es auténtico",
    "Es exactamente el archivo que se firmó y selló en este servicio: no cambió ni un bit, y el registro de todo lo que pasó con él está íntegro.",
  ],
  unrecorded: [
    "good",
    "Sellado por este servicio y sin cambios",
    "El sello es de este servicio y el archivo no cambió desde entonces. No es un documento firmado que esté en sus registros: puede ser un informe legal o el resultado de una verificación, que se emiten de nuevo cada vez que se piden.",
  ],
  data_by_others: [
    "warn",
    "Sellado por este servicio, con datos de otros",
    "El sello es de este servicio y lo que se selló no cambió. Lleva sellos de tiempo o datos de validación de autoridades que este servicio no reconoce, que alguien pudo agregar después: de lo que dicen no se comprobó nada.",
  ],
  certificate_invalid: [
    "warn",
    "El certificado del sello no valía",
    "El sello es de este servicio y el archivo no cambió desde entonces, pero su certificado había vencido o fue revocado, y nada prueba que se selló antes. Pida el archivo a quien se lo envió, o consulte al servicio.",
  ],
  record_contradicted: [
    "bad",
    "El registro no concuerda con el archivo",
    "El registro de este servicio nombra este archivo, pero el archivo no lleva el sello o los sellos de tiempo que el registro dice. O el registro fue alterado, o se selló con un certificado que este servicio ya no reconoce. No lo acepte sin consultar a quien se lo envió.",
  ],
  record_unproven: [
    "warn",
    "Nada firmado prueba de qué documento es",
    "El sello es de este servicio y el archivo no cambió desde entonces, pero es de una versión anterior que no dice sobre qué se puso, y el registro que lo nombra no está en el primer resumen firmado (/pki/heads). No lo acepte sin consultar al servicio.",
  ],
  record_missing: [
    "warn",
    "Sellado por este servicio, pero el registro no tiene este archivo",
    "El sello es de este servicio y nombra un documento, pero el registro de ese documento no tiene este archivo: puede faltarle lo que se selló después, como otras firmas, o al registro le falta algo. No lo acepte sin consultar a quien se lo envió; pida el archivo completo.",
  ],
  evidence_broken: [
    "bad",
    "El registro de este documento fue alterado",
    "El registro del documento al que pertenece, o que lo nombra, ya no está íntegro y no prueba nada de él. Abajo está lo que dice el archivo mismo. No lo acepte sin consultar a quien se lo envió.",
  ],
  changed: [
    "bad",
    "El archivo fue modificado",
    "No está como lo dejaron sus firmas: algo cambió después de firmarlo. No lo acepte; pida el original a quien se lo envió.",
  ],
  foreign: [
    "warn",
    "No es un documento de este servicio",
    "Tiene firmas electrónicas, pero no es un archivo que este servicio haya sellado, o alguien le agregó firmas después. Abajo está lo que se pudo comprobar de cada firma.",
  ],
  unsigned: [
    "warn",
    "El archivo no tiene firmas electrónicas",
    "Puede ser el documento antes de firmarse, o una copia impresa o escaneada. Pida el archivo firmado.",
  ],
  unreadable: [
    "bad",
    "No se pudo leer el archivo",
    "No es un PDF, está dañado, o es demasiado complejo para comprobarlo.",
  ],
};

const failures = {
  400: "El archivo está vacío o no se pudo leer. Elija otro.",
  413: "El archivo es demasiado grande para comprobarlo aquí.",
  429: "Se comprobaron muchos archivos desde su conexión. Espere un minuto e inténtelo de nuevo.",
  503: "En este momento se están comprobando muchos archivos. Inténtelo de nuevo en unos segundos.",
};
const failed = "Algo falló de nuestro lado. Inténtelo de nuevo en unos minutos.";
const offline = "No hay conexión con el servicio. Revise su conexión e inténtelo de nuevo.";

/** An element with its text or children; text is never taken for markup. */
const element = (name, className, ...children) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
};

const local = new Intl.DateTimeFormat("es", { dateStyle: "long", timeStyle: "long" });
const timeOf = (iso) => (iso ? local.format(new Date(iso)) : null);

/** Pairs of a name and what is known of it; what is not known is left out. */
const facts = (...pairs) => {
  const list = element("dl", "facts");
  for (const [name, value, className] of pairs)
    if (value !== null && value !== undefined)
      list.append(element("div", "", element("dt", "", name), element("dd", className, value)));
  return list;
};

/** The common name out of a certificate's subject, or all of it. */
const nameOf = (subject) => /(?:^|, )CN=([^,]+)/.exec(subject ?? "")?.[1] ?? subject;

const laterChanges = {
  none: "Ninguno",
  signing: "Solo otras firmas, datos de validación y metadatos",
  other: "El contenido cambió después de esta firma",
};

const certificateStates = {
  good: "Vigente y sin revocar",
  unknown: "Vigente; no se sabe si fue revocado, o si puede usarse así",
  not_yet_valid: "Todavía no era válido",
  expired: "Vencido",
  revoked: "Revocado",
};

const certificateOf = ({ certificate }) =>
  certificate && `${certificateStates[certificate.status]}, al ${timeOf(certificate.judged_at)}`;

const sources = {
  signature_timestamp: "Sello de tiempo sobre la firma",
  document_timestamp: "Sello de tiempo sobre el documento",
};

/** By whose word it is known since when a signature has been there. */
const witnessOf = ({ intact, time }) => {
  if (!intact) return null;
  if (!time) return "Nadie: solo el firmante declara la fecha";
  if (time.proven_by === "record") return `El registro de este servicio, ${timeOf(time.at)}`;
  const trust = time.trusted ? "reconocida por este servicio" : "no reconocida por este servicio: no prueba la fecha";
  // Anybody can make an authority of any name: it comes last, by itself, so that it says and turns round nothing before it.
  const name = element("bdi", "", nameOf(time.authority));
  return element("span", "", `${sources[time.proven_by]}, ${timeOf(time.at)}, de una autoridad ${trust}: `, name);
};

const count = new Intl.NumberFormat("es");
const coverageOf = ({ intact, covered_bytes: covered }, size) => {
  if (!intact) return null;
  const all = count.format(size);
  return covered >= size
    ? `Todo el archivo (${all} bytes)`
    : `Los primeros ${count.format(covered)} de ${all} bytes: lo que sigue se agregó después`;
};

const stateOf = ({ intact, changes_after: after }) => {
  if (intact === null) return "No se puede comprobar aquí";
  if (!intact) return "No coincide con el archivo";
  return after === "other" ? "Intacta en su momento, pero el archivo cambió después" : "Intacta";
};

const kindOf = ({ kind, of_this_service: ours }) => {
  if (kind === "document_timestamp") return "Sello de tiempo";
  return ours ? "Sello de este servicio" : "Firma de terceros";
};

const sealedKinds = {
  document: "Documento firmado",
  part: "Parte del documento firmado, al que siguen otros sellos",
  report: "Informe legal del documento",
  verification: "Resultado de la verificación del archivo",
  head: "Cabeza del registro de eventos",
};
const sealedAsOf = ({ sealed_as: named }) => (named ? `${sealedKinds[named.kind]} ${named.id}` : null);

/** The page that changed, as it was when the signature was made. */
const pictureOf = ({ page, width, height, png }) => {
  const picture = element("img", "as-signed");
  Object.assign(picture, { width, height, alt: `La página ${page} como estaba cuando se firmó` });
  picture.src = `data:image/png;base64,${png}`;
  return element("figure", "", element("figcaption", "", `La página ${page}, como estaba cuando se firmó`), picture);
};

const signatureItem = (signature, index, size, signed) =>
  element(
    "li",
    "",
    element("h3", "", `${index + 1}. ${kindOf(signature)}`),
    facts(
      ["Estado", stateOf(signature)],
      ["Qué dice sellar", sealedAsOf(signature)],
      ["Firmante del certificado", nameOf(signature.signed_by)],
      ["Certificado emitido por", nameOf(signature.issued_by)],
      ["Fecha que declara", timeOf(signature.claimed_at)],
      ["Quién da fe de la fecha", witnessOf(signature)],
      ["Certificado", certificateOf(signature)],
      ["Certificado revocado desde", timeOf(signature.certificate?.revoked_at)],
      ["Qué abarca", coverageOf(signature, size)],
      ["Cambios posteriores", signature.intact ? laterChanges[signature.changes_after] : null],
      ["Huella del certificado (SHA-256)", signature.certificate_sha256, "hash"],
    ),
    ...(signed?.signature === index ? [pictureOf(signed)] : []),
  );

/** The proven date; where none is, the one that the signature claims, named as that. */
const dateOf = (last) => {
  // A record that the file contradicts, or that was altered, proves none: then it is not given as the signature's time.
  const proven = last?.time?.trusted ? last.time.at : null;
  return proven ? ["Fecha", timeOf(proven)] : ["Fecha que declara la firma (sin comprobar)", timeOf(last?.claimed_at)];
};

/** Whether it is the file of the address that was opened: anybody can write an address, only the record is looked up. */
const matchOf = ({ sha256, document: known }) => {
  const asked = expected.get("sha256");
  if (!asked) return null;
  if (asked !== sha256) return "No, no es el archivo que nombra la dirección que abrió";
  const recorded = known?.chain_intact === true && known.id_seguimiento === expected.get("document");
  return recorded
    ? "Sí: es el que el registro de este servicio tiene en ese documento"
    : "Tiene la huella que dice la dirección que abrió; quién escribió esa dirección no se comprobó";
};

const summaryOf = (report) => {
  const own = report.signatures.filter(({ kind }) => kind === "signature");
  const last = own.findLast(({ of_this_service: ours }) => ours) ?? own.at(-1);
  const { document: known } = report;
  return facts(
    ["¿Es el archivo que buscaba?", matchOf(report)],
    // Anybody can make a certificate in any name: only of a seal of this service is it told as a fact.
    [
      last?.of_this_service ? "Sellado por" : "Nombre que lleva el certificado (sin comprobar)",
      last ? nameOf(last.signed_by) : null,
    ],
    dateOf(last),
    ["Quién da fe de la fecha", last ? witnessOf(last) : null],
    ["Certificado", last ? certificateOf(last) : null],
    ["Documento", known?.id_seguimiento],
    ["Nivel de la firma", known ? `PAdES ${known.level}` : null],
    ["Simulado", simulatedParts(report).join("; ") || null],
    ["Autoridad del certificado", known ? authorities[known.own_authority] : null],
    ["Registro de eventos", known ? (known.chain_intact ? "Íntegro" : "Alterado") : null],
  );
};

/** What of a document on record is no evidence, in words; empty where all is. */
const simulatedParts = ({ document: known }) =>
  known
    ? [
        known.demo ? "es de la cuenta de demostración" : "",
        known.simulated.messages ? "los mensajes fueron simulados" : "",
        known.simulated.identity ? "la validación de identidad fue simulada" : "",
      ].filter((part) => part !== "")
    : [];

const authorities = { true: "Propia del servicio: nadie más la reconoce", false: "Ajena al servicio" };

const card = (tone, title, text, fileName, ...more) => {
  const heading = element("h2", "", title);
  heading.tabIndex = -1;
  const name = element("p", "file-name", fileName);
  const head = element("div", "verdict-head", heading, element("p", "", text), name);
  result.replaceChildren(element("article", `verdict ${tone}`, head, ...more));
  heading.focus();
};

const detailsOf = (report) => {
  const details = element("details", "", element("summary", "", "Ver los detalles"));
  const count = report.signatures.length;
  details.append(
    facts(["Firmas y sellos en el archivo", String(count)], ["Huella del archivo (SHA-256)", report.sha256, "hash"]),
  );
  if (count > 0)
    details.append(
      element(
        "ol",
        "signatures",
        ...report.signatures.map((signature, index) =>
          signatureItem(signature, index, report.file_bytes, report.as_signed),
        ),
      ),
    );
  return details;
};

/** What was found, as files to keep: by whom it was judged, and when, is in them. */
const keepLine = (report, file) => {
  const pdf = element("button", "keep", "Guardar el resultado (PDF)");
  pdf.type = "button";
  const failure = element("span", "keep-failure");
  failure.setAttribute("role", "status");
  pdf.addEventListener("click", async () => {
    pdf.disabled = true;
    failure.textContent = await keepPdf(report, file);
    pdf.disabled = false;
  });
  const json = element("a", "keep", "Guardar el resultado (JSON)");
  const kept = { verified_at: location.origin, ...report };
  json.href = URL.createObjectURL(new Blob([`${JSON.stringify(kept, null, 2)}\n`], { type: "application/json" }));
  json.download = `${keptName(report)}.json`;
  return element("p", "keep-line", pdf, json, failure);
};

const keptName = ({ sha256 }) => `verificacion-${sha256.slice(0, 12)}`;

/** Has the file judged again, for a PDF; gives what went wrong, in words. */
const keepPdf = async (report, file) => {
  try {
    const response = await send(file, "application/pdf");
    if (!response.ok) return failures[response.status] ?? failed;
    const link = element("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = `${keptName(report)}.pdf`;
    link.click();
    return "";
  } catch (error) {
    return error instanceof TypeError ? offline : failed;
  }
};

const show = (report, file) => {
  const [tone, title, said] = verdicts[report.verdict];
  const simulated = simulatedParts(report);
  const text = simulated.length > 0 ? `${said} Atención: ${simulated.join("; ")}; eso no es prueba.` : said;
  const summary = summaryOf(report);
  const known = summary.childElementCount > 0 ? [summary] : [];
  const shown = tone === "good" && simulated.length > 0 ? "warn" : tone;
  card(shown, title, text, file.name, ...known, keepLine(report, file), detailsOf(report));
};

const send = (file, accept, signal) =>
  fetch("api/verify", { method: "POST", headers: { "content-type": "application/pdf", accept }, body: file, signal });

let asking = new AbortController();

const check = async (file) => {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  result.replaceChildren(element("p", "busy-text", "Comprobando el archivo…"));
  try {
    const response = await send(file, "application/json", signal);
    if (response.ok) show(await response.json(), file);
    else card("warn", "No se pudo comprobar", failures[response.status] ?? failed, file.name);
  } catch (error) {
    if (!signal.aborted) card("warn", "No se pudo comprobar", error instanceof TypeError ? offline : failed, file.name);
  }
};

input.addEventListener("change", () => {
  const [file] = input.files;
  if (file) check(file);
  // So that the same file can be chosen again.
  input.value = "";
});
for (const type of ["dragenter", "dragover"])
  document.addEventListener(type, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) drop.classList.remove("over");
});
document.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("over");
  const [file] = event.dataTransfer.files;
  if (file) check(file);
});
drop.addEventListener("submit", (event) => event.preventDefault());

const documentId = expected.get("document");
if (documentId && /^[0-9a-f-]{36}$/.test(documentId)) {
  byId("expected").textContent =
    `La dirección que abrió nombra el documento ${documentId}: todavía no se comprobó nada. Elija el archivo firmado.`;
  byId("expected").hidden = false;
}
