import type { ActiveContent } from "@rubrica/pdf";
import { spanishLog } from "./spanish-log.ts";
import { messageFailures } from "./spanish-message-failures.ts";
import type { ReportTexts } from "./texts.ts";

const ACTIVE_CONTENT: Record<ActiveContent, string> = {
  javascript: "código JavaScript",
  launch: "acciones que inician programas o abren archivos del sistema",
  automatic_action: "acciones automáticas",
  data_exchange: "formularios que envían o importan datos",
  other_file: "vínculos a otros archivos",
  media: "contenido multimedia o 3D",
  dynamic_form: "un formulario dinámico (XFA)",
  shown_otherwise: "contenido que se ve distinto en papel o tras un clic",
  momentary: "apariencias que se ven solo en pantalla o por un momento, o que cambian con un clic",
  usage_rights: "derechos de uso de Adobe Reader",
};

const listed = (items: readonly string[]): string => new Intl.ListFormat("es").format(items);

/** The API's language. */
export const spanish: ReportTexts = {
  language: "es",
  title: "Informe legal de firma electrónica",
  page: "Página {page} de {pages}",
  document: "Documento",
  generatedAt: "Informe generado el",
  verifyOnline: "Verificar en línea",
  forgotten: "Datos eliminados",
  fileGone: "Archivo eliminado",
  none: "—",
  utc: "UTC",
  status: {
    completed: "Documento firmado",
    rejected: "Documento rechazado",
    canceled: "Documento cancelado",
    expired: "Documento vencido",
    completedSentence: (signed, signers, at) => {
      if (at === null) return "No consta ninguna firma de las personas requeridas.";
      if (signed < signers) return `Firmas registradas: ${signed} de ${signers} requeridas. Última firma: ${at}.`;
      return signers === 1
        ? `La persona requerida firmó el documento el ${at}.`
        : `Las ${signers} personas requeridas firmaron el documento. Última firma: ${at}.`;
    },
    rejectedSentence: (who, at) =>
      `${who} rechazó el documento el ${at}. El documento no reunió todas las firmas y no fue sellado.`,
    canceledSentence: (at) =>
      `Quien lo solicitó canceló el documento el ${at}. El documento no reunió todas las firmas y no fue sellado.`,
    expiredSentence: (at) =>
      `El plazo para firmar terminó el ${at}. El documento no reunió todas las firmas y no fue sellado.`,
    warning: "Atención: fallan comprobaciones de integridad",
    warningSentence:
      "Lo registrado no coincide con sus huellas. Lo que este informe muestra no es prueba hasta que se aclare: ver la sección Comprobaciones.",
  },
  requester: {
    byAccount: (name) => `Solicitado por la cuenta: ${name}`,
    shownAs: (name) => `Nombre mostrado a los firmantes: ${name}`,
    account: "Cuenta que lo solicitó",
    key: "Clave de API usada",
    namelessKey: "Sin nombre",
    ip: "Dirección IP de la solicitud",
    shown: "Nombre mostrado a los firmantes",
    shownNote: "Texto elegido por la cuenta; el servicio no lo verifica.",
    notRecorded: "No registrado",
  },
  simulation: {
    title: "Atención: con partes simuladas",
    demo: "El documento es de la cuenta de demostración del servicio.",
    messages: (providers, inPart) =>
      inPart
        ? `Una parte de los mensajes fue simulada por ${listed(providers)}: de esos, ninguno llegó a un teléfono.`
        : `El envío de mensajes fue simulado por ${listed(providers)}: ningún mensaje llegó a un teléfono.`,
    identity: (providers, inPart) =>
      inPart
        ? `Una parte de las validaciones de identidad fue simulada por ${listed(providers)}: en esas, nadie comparó rostros ni documentos.`
        : `La validación de identidad fue simulada por ${listed(providers)}: nadie comparó rostros ni documentos.`,
    ownAuthorityTitle: "Sello con certificado de una autoridad propia",
    ownAuthority:
      "El servicio emitió él mismo el certificado con que selló. Nadie más lo reconoce: un lector de PDF lo muestra como no confiable hasta que se le indique la raíz.",
    onPage: "CON PARTES SIMULADAS: no es prueba de lo simulado",
    demoOnPage: "DEMOSTRACIÓN: no es un documento de prueba",
    simulatedBy: (name) => `${name}, simulado`,
    mark: "simulado",
    notRecorded: "No registrado",
  },
  documentSection: {
    title: "Documento",
    name: "Nombre",
    id: "Identificador (id_seguimiento)",
    pages: "Páginas",
    requestedAt: "Solicitado el",
    expiresAt: "Plazo para firmar",
    completedAt: "Completado el",
    rejectedAt: "Rechazado el",
    rejectedBy: "Rechazado por",
    canceledAt: "Cancelado el",
    canceledBy: "Cancelado por",
    expiredAt: "Vencido el",
    reason: "Motivo declarado",
    authentication: "Autenticación requerida",
    sent: "SHA-256 del archivo tal como fue enviado",
    sentOtherwise: {
      same: "El del archivo original, que no se modificó al recibirlo.",
      notRecorded: "No registrado",
      made: "El servicio generó el archivo original a partir de una plantilla.",
    },
    sentSentence:
      "Al recibirlo, el servicio lo modificó para que pudiera firmarse y todos los lectores de PDF mostraran lo mismo. " +
      "El resultado es el archivo original de este informe: el que tuvieron a la vista los firmantes.",
    originalSha256: "SHA-256 del archivo original",
    activeContent: "Contenido activo",
    activeContentSentence: (kinds) =>
      `El archivo original contiene ${listed(kinds.map((kind) => ACTIVE_CONTENT[kind]))}. Se conservó tal como se recibió: ` +
      "un lector de PDF puede ejecutarlo, y lo que muestre entonces no es lo que este informe acredita.",
    sealedSha256: "SHA-256 del archivo firmado y sellado",
    notSealed: {
      completed: "No existe.",
      rejected: "No existe: el documento fue rechazado.",
      canceled: "No existe: el documento fue cancelado.",
      expired: "No existe: el documento venció sin todas las firmas.",
    },
    bytes: (count) => `${count} bytes`,
  },
  authentication: {
    link: "Enlace personal, único por firmante",
    photos: "Enlace personal y fotografías (selfie y documento de identidad, sin validación automática)",
    biometric: "Enlace personal y validación biométrica (selfie y documento de identidad)",
  },
  checksSection: {
    title: "Comprobaciones",
    intro: "Realizadas sobre los registros y archivos conservados, en el momento de generar este informe.",
    check: "Comprobación",
    result: "Resultado",
    good: "Correcto",
    bad: "FALLA",
    unknown: "No disponible",
    chain: "Cadena de eventos",
    chainHolds: (events) =>
      `Íntegra: los ${events} eventos registrados están encadenados por sus huellas, sin alteraciones, faltantes entre ellos ni cambios de orden.`,
    chainOther: (revision) =>
      `ROTA: el evento n.º ${revision} no es el que abarca una cabeza firmada del registro: falta, o el registro se reescribió. No es prueba de lo ocurrido.`,
    chainBroken: (revision) =>
      `ROTA: el evento n.º ${revision} no coincide con su huella. Desde ese evento, el registro no es prueba de lo ocurrido.`,
    sent: "Archivo enviado",
    original: "Archivo original",
    sealed: "Archivo firmado",
    seal: "Sello",
    sealOverOriginal: "El archivo firmado comienza con el archivo original y tiene el sello que consta en el registro.",
    sealOverOther:
      "El archivo firmado NO comienza con el archivo original o NO tiene el sello que consta en el registro.",
    agreed: "Archivo aceptado",
    agreedAll: "Cada firma se dio sobre exactamente el archivo original, identificado por su huella.",
    agreedNot: (who) => `La huella que aceptó ${who} no es la del archivo original.`,
    consentMissing: (who) => `No consta el consentimiento de ${who}.`,
    pictures: "Evidencia",
    picturesOf: (intact, all) =>
      `${intact} de ${all} archivos de evidencia (imágenes de firmas, fotografías, auditorías) coinciden con su huella registrada.`,
    file: {
      intact: "El archivo conservado coincide con la huella registrada.",
      altered: "El archivo conservado NO coincide con la huella registrada.",
      gone: "El archivo ya no se conserva. Una copia en poder de las partes se puede comparar con la huella registrada.",
    },
    lastHash: "Huella final de la cadena",
    logHead: (at) => `Cabeza firmada del registro completo, del ${at} (eventos:raíz)`,
    noLogHead: "El registro completo todavía no tiene una cabeza firmada.",
  },
  signersSection: {
    title: "Firmantes",
    number: "N.º",
    name: "Nombre",
    idNumber: "Documento de identidad",
    state: "Estado",
    at: "Fecha y hora (UTC)",
    signer: (number, of) => `Firmante ${number} de ${of}`,
    signed: "Firmó",
    rejected: "Rechazó",
    notSigned: "No firmó",
    id: "Identificador (id_custom)",
    phone: "Teléfono",
    reached: "Contacto",
    email: "Correo electrónico",
    order: "Orden de firma",
    askedWith: (numbers) =>
      `A la vez que ${numbers.length === 1 ? "el firmante" : "los firmantes"} ${listed(numbers.map(String))}`,
    corrected: "Datos corregidos",
    correctedBy: (at, account, key) => `${at}, por ${account}, clave ${key}`,
    correctable: {
      name: "Nombre",
      idNumber: "Documento de identidad",
      idNumberCountry: "País del documento",
      phone: "Teléfono",
      email: "Correo electrónico",
    },
    messageBy: {
      wpp: "mensaje al teléfono indicado",
      sms: "mensaje de texto (SMS) al teléfono indicado",
      email: "correo electrónico a la dirección indicada",
    },
    reachedBy: {
      link: (how) => `Por ${listed(how)}, con un enlace personal`,
      template: (how) => `Por ${listed(how)}; no consta el envío del enlace personal`,
    },
    medium: { wpp: "", sms: "SMS", email: "correo electrónico" },
    notReached: {
      attempt: "Se intentó enviarle un mensaje; no consta que haya salido",
      nothing: "No consta ningún mensaje del servicio",
      nothingWanted: "Sin mensajes del servicio, por pedido del solicitante",
    },
    simulatedReach: "Por mensaje simulado: ningún mensaje llegó a un teléfono",
    messagesBy: "Proveedor de mensajes",
    openedWithoutLink: "Llegó con su enlace personal; no consta quién se lo entregó",
    steps: {
      templateSent: "Mensaje enviado",
      templateDelivered: "Mensaje entregado",
      templateRead: "Mensaje leído",
      templateFailed: "Mensaje no entregado",
      answered: "Respondió que continúa",
      refused: "Respondió que no continúa",
      linkSent: "Enlace enviado",
      linkDelivered: "Enlace entregado",
      linkRead: "Enlace leído",
      linkFailed: "Enlace no entregado",
      opened: "Página de firma abierta",
    },
    messageFailures,
    signedAt: "Firmó el",
    rejectedAt: "Rechazó el",
    consent: "Consentimiento",
    consentGiven: (version, at) => `Versión ${version}, aceptado el ${at}:`,
    consentUnknown: "Texto no disponible.",
    consentMissing: "No consta",
    agreedTo: "SHA-256 del archivo aceptado",
    ip: {
      signed: "Dirección IP al firmar",
      rejected: "Dirección IP al rechazar",
      seen: "Dirección IP de su último acto",
      forgotten: "Dirección IP",
    },
    ipNotRecorded: "No registrada",
    browser: {
      signed: "Navegador al firmar",
      rejected: "Navegador al rechazar",
      seen: "Navegador de su último acto",
      forgotten: "Navegador y dispositivo",
    },
    unknownBrowser: "No reconocido",
    signature: {
      drawn: "Firma dibujada",
      typed: "Nombre escrito con teclado",
      notRecorded: "Firma (no se registró si se dibujó o se escribió)",
    },
    noDrawing: "Sin firma",
    pictures: "Imágenes",
    pictureNotShown: "Imagen no disponible",
    photo: { selfie: "Selfie", idFront: "Documento, frente", idBack: "Documento, dorso" },
    attempt: (number) => `intento ${number}`,
    counts: "vigente",
    superseded: "reemplazada",
  },
  checksOfSigner: {
    title: "Validaciones de identidad",
    photosTitle: "Fotografías recibidas",
    at: "Fecha y hora (UTC)",
    check: "Validación",
    attempt: "Intento",
    result: "Resultado",
    by: (provider) => `Proveedor: ${provider}`,
    sha256: "SHA-256 de la imagen",
    names: {
      selfie: "Selfie (biometría facial)",
      idFront: "Documento, frente",
      idBack: "Documento, dorso",
      mrz: "Zona de lectura mecánica (MRZ)",
      idDocumentError: "Documento no utilizable",
      providerFailure: "Proveedor de identidad sin respuesta",
      providerRejection: "Proveedor de identidad",
    },
    results: { approved: "Aprobado", rejected: "Rechazado", failed: "Con error" },
    reasons: {
      too_small: "Imagen demasiado pequeña",
      nothing_to_see: "No se distingue nada en la imagen",
      blurred: "Imagen borrosa",
      same_as_front: "Es la misma imagen que el frente",
      face_not_found: "No se encontró un rostro",
      face_not_centered: "El rostro no está centrado",
      face_not_live: "El rostro no es de una persona presente",
      face_mismatch: "El rostro no coincide con el del documento",
      unreadable: "No se puede leer",
      expired: "Documento vencido",
      forged: "No se comprobó que el documento sea auténtico",
      checksum: "Los dígitos verificadores no corresponden",
      number_mismatch: "El número no coincide con el del firmante",
      name_mismatch: "El nombre no coincide con el del firmante",
      timeout: "No respondió a tiempo",
      unreachable: "No se pudo conectar",
      busy: "Ocupado",
      refused: "No aceptó la consulta",
      bad_answer: "Respuesta no válida",
      forgotten: "Datos eliminados",
    },
  },
  provider: {
    title: "Evidencia obtenida del proveedor de identidad",
    intro: (provider) =>
      `Lo que el proveedor de verificación de identidad (${provider}) conserva de sus controles, obtenido al terminar el documento y guardado desde entonces.`,
    awaited: "El proveedor de identidad todavía no entregó su evidencia.",
    none: "El proveedor de identidad no conserva evidencia de este firmante.",
    kinds: { audit: "Auditoría", photo: "Fotografía" },
    showsNotSaid: "El proveedor no indicó qué muestra",
    file: "Archivo",
    mediaType: "Tipo y tamaño",
    sha256: "SHA-256 del archivo",
    attached: (name) => `Adjunta a este informe: ${name}`,
    notAttached: "No se adjunta por su tamaño",
    fileName: (signer, file) => `auditoria-firmante-${signer}-${file}`,
  },
  log: spanishLog,
  sealSection: {
    title: "Sello electrónico",
    none: {
      completed: "El documento no está sellado. Este informe sí lleva el sello del servicio.",
      rejected: "Un documento rechazado no se sella. Este informe sí lleva el sello del servicio.",
      canceled: "Un documento cancelado no se sella. Este informe sí lleva el sello del servicio.",
      expired: "Un documento vencido no se sella. Este informe sí lleva el sello del servicio.",
    },
    sealedAt: "Sellado el",
    level: "Nivel alcanzado",
    shortfall: "Por qué no uno superior",
    timestamp: "Sello de tiempo",
    timestampAuthority: "Autoridad del sello de tiempo",
    sealedLevel: "Nivel al sellar",
    augmented: { complete: "Completado con sello de tiempo", renew: "Sello de tiempo renovado" },
    formerFiles: "SHA-256 de archivos entregados antes",
    levels: {
      "B-B": "PAdES B-B (ETSI EN 319 142-1): sello avanzado con el certificado de firma",
      "B-T": "PAdES B-T (ETSI EN 319 142-1): con sello de tiempo RFC 3161",
      "B-LT": "PAdES B-LT (ETSI EN 319 142-1): con sello de tiempo y datos de validación incluidos",
      "B-LTA": "PAdES B-LTA (ETSI EN 319 142-1): con datos de validación y sello de tiempo de archivo",
    },
    authority: "Autoridad",
    ownAuthority: "Propia del servicio: nadie más la reconoce",
    othersAuthority: "Ajena al servicio",
    certificate: "Certificado",
    unknownChain: "La cadena de certificados no está disponible: el archivo sellado ya no se conserva.",
    own: "autofirmado",
    issuedBy: "Emisor",
    serialNumber: "Número de serie",
    validity: "Vigencia",
    fingerprint: "Huella SHA-256",
    certificateRole: (index, of) =>
      index === 0 ? "Certificado que sella" : index === of - 1 ? "Autoridad raíz" : "Autoridad intermedia",
  },
  verifySection: {
    title: "Cómo verificar",
    steps: (rootUrl) => [
      {
        text: "Huella del archivo. El valor de cada archivo debe ser igual al que figura en este informe:",
        command: "sha256sum documento.pdf",
      },
      {
        text: rootUrl
          ? `Sello, con herramientas públicas (Poppler y pyHanko). El certificado raíz del servicio, cuya huella figura en este informe, se publica en ${rootUrl}:`
          : "Sello, con herramientas públicas (Poppler y pyHanko), con el certificado raíz cuya huella figura en este informe:",
        command: "pdfsig documento.pdf\npyhanko sign validate --pretty-print --trust ca.crt documento.pdf",
      },
      {
        text: "Sello, en un validador oficial europeo: EU DSS (Digital Signature Service), con el certificado raíz como ancla de confianza. Adobe Acrobat y otros lectores de PDF muestran el mismo sello en su panel de firmas.",
      },
      {
        text: "Este informe está sellado con la misma identidad: se verifica de la misma manera, y cualquier cambio posterior lo invalida.",
      },
    ],
    online: "En línea, con el código QR de la primera página o en",
  },
  scopeSection: {
    title: "Alcance",
    sealed: "El sello prueba que el archivo no cambió desde que el servicio lo selló.",
    chain:
      "La cadena de eventos muestra que el registro no fue alterado después de escrito: cambiar, quitar o reordenar un evento rompe las huellas de todos los que le siguen. Que no se le quitó el final ni se lo escribió entero de nuevo lo prueban la huella final y la cabeza firmada que figuran en un informe que otro conserva.",
    identity: ({ link, phone, photos, checks }) => {
      const grounds = [
        link ? "la posesión de su enlace personal" : "",
        phone ? "la del teléfono en que recibió un mensaje" : "",
        photos ? "sus fotografías" : "",
        checks ? "las validaciones de identidad" : "",
      ].filter((ground) => ground !== "");
      return grounds.length === 0
        ? "No consta ningún medio de autenticación de quien actuó."
        : `Que quien actuó es la persona nombrada se apoya en lo que este informe registra de cada firmante, y en nada más: ${listed(grounds)}.`;
    },
    clock: "Las horas de los eventos son las del reloj del servicio.",
    validity: "La validez jurídica de la firma depende de la ley aplicable y la determina la autoridad competente.",
  },
};
