import type { Authentication, DocumentEvent } from "@rubrica/events";
import type { CheckEvidence, FileState, PhotoKind, ProviderFileEvidence } from "./evidence/evidence.ts";

/** All words of a report. Other languages would be further tables of this shape. */
export interface ReportTexts {
  /** BCP 47. */
  language: string;
  title: string;
  /** Footer; `{page}` and `{pages}` are filled in. */
  page: string;
  document: string;
  generatedAt: string;
  verifyOnline: string;
  forgotten: string;
  fileGone: string;
  none: string;
  utc: string;
  requestedBy: string;
  status: {
    completed: string;
    rejected: string;
    completedSentence: (signers: number, at: string) => string;
    rejectedSentence: (who: string, at: string) => string;
    warning: string;
    warningSentence: string;
  };
  documentSection: {
    title: string;
    name: string;
    business: string;
    id: string;
    pages: string;
    requestedAt: string;
    completedAt: string;
    rejectedAt: string;
    rejectedBy: string;
    reason: string;
    authentication: string;
    originalSha256: string;
    sealedSha256: string;
    notSealed: string;
    bytes: (count: string) => string;
  };
  authentication: Record<Authentication, string>;
  checksSection: {
    title: string;
    intro: string;
    check: string;
    result: string;
    good: string;
    bad: string;
    unknown: string;
    chain: string;
    chainHolds: (events: number) => string;
    chainBroken: (revision: number) => string;
    original: string;
    sealed: string;
    agreed: string;
    agreedAll: string;
    agreedNot: (who: string) => string;
    pictures: string;
    picturesOf: (intact: number, all: number) => string;
    file: Record<FileState, string>;
    chainHead: string;
  };
  signersSection: {
    title: string;
    number: string;
    name: string;
    idNumber: string;
    state: string;
    at: string;
    signer: (number: number, of: number) => string;
    signed: string;
    rejected: string;
    notSigned: string;
    id: string;
    phone: string;
    reached: string;
    byMessage: string;
    byIntegrator: string;
    steps: Record<"messageSentAt" | "messageDeliveredAt" | "answeredAt" | "linkSentAt" | "firstOpenedAt", string>;
    signedAt: string;
    rejectedAt: string;
    consent: string;
    consentGiven: (version: string, at: string) => string;
    consentUnknown: string;
    agreedTo: string;
    ip: string;
    browser: string;
    unknownBrowser: string;
    drawing: string;
    noDrawing: string;
    pictures: string;
    pictureNotShown: string;
    photo: Record<PhotoKind, string>;
    attempt: (number: number) => string;
    counts: string;
    superseded: string;
  };
  checksOfSigner: {
    title: string;
    photosTitle: string;
    at: string;
    check: string;
    attempt: string;
    result: string;
    sha256: string;
    names: Record<CheckEvidence["check"], string>;
    results: Record<CheckEvidence["result"], string>;
    /** What the words stand for that the identity provider and the checks use; others are shown as they are. */
    reasons: Readonly<Record<string, string>>;
  };
  provider: {
    title: string;
    intro: string;
    awaited: string;
    none: string;
    kinds: Record<ProviderFileEvidence["kind"], string>;
    file: string;
    mediaType: string;
    sha256: string;
    attached: (name: string) => string;
    notAttached: string;
    /** A file's name inside the report, without its ending. */
    fileName: (signer: number, file: number) => string;
  };
  log: {
    title: string;
    intro: string;
    number: string;
    at: string;
    event: string;
    actor: string;
    hash: string;
    unreadable: string;
    more: (count: number) => string;
    attempt: (number: number) => string;
    events: Record<DocumentEvent["type"], string>;
    actors: {
      integrator: string;
      signer: string;
      operator: string;
      provider: string;
      service: (name: string) => string;
    };
    services: Record<string, string>;
  };
  sealSection: {
    title: string;
    none: string;
    sealedAt: string;
    level: string;
    shortfall: string;
    levels: Record<"B-B" | "B-T" | "B-LT" | "B-LTA", string>;
    certificate: string;
    unknownChain: string;
    own: string;
    issuedBy: string;
    serialNumber: string;
    validity: string;
    fingerprint: string;
    certificateRole: (index: number, of: number) => string;
  };
  verifySection: {
    title: string;
    /** `rootUrl`: where the root certificate is published; null when it is another authority's. */
    steps: (rootUrl: string | null) => readonly { text: string; command?: string }[];
    online: string;
  };
  scopeSection: { title: string; paragraphs: readonly string[] };
}

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
  requestedBy: "Solicitado por",
  status: {
    completed: "Documento firmado",
    rejected: "Documento rechazado",
    completedSentence: (signers, at) =>
      signers === 1
        ? `La persona requerida firmó el documento el ${at}.`
        : `Las ${signers} personas requeridas firmaron el documento. Última firma: ${at}.`,
    rejectedSentence: (who, at) => `${who} rechazó el documento el ${at}. No reunió todas las firmas y no fue sellado.`,
    warning: "Atención: fallan comprobaciones de integridad",
    warningSentence:
      "Lo registrado no coincide con sus huellas. Lo que este informe muestra no es prueba hasta que se aclare: ver la sección Comprobaciones.",
  },
  documentSection: {
    title: "Documento",
    name: "Nombre",
    business: "Solicitante",
    id: "Identificador (id_seguimiento)",
    pages: "Páginas",
    requestedAt: "Solicitado el",
    completedAt: "Completado el",
    rejectedAt: "Rechazado el",
    rejectedBy: "Rechazado por",
    reason: "Motivo declarado",
    authentication: "Autenticación requerida",
    originalSha256: "SHA-256 del archivo original",
    sealedSha256: "SHA-256 del archivo firmado y sellado",
    notSealed: "No existe: el documento fue rechazado.",
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
      `Íntegra: los ${events} eventos registrados están encadenados por sus huellas, sin alteraciones, faltantes ni cambios de orden.`,
    chainBroken: (revision) =>
      `ROTA: el evento n.º ${revision} no coincide con su huella. Desde ese evento, el registro no es prueba de lo ocurrido.`,
    original: "Archivo original",
    sealed: "Archivo firmado",
    agreed: "Archivo aceptado",
    agreedAll: "Cada firma se dio sobre exactamente el archivo original, identificado por su huella.",
    agreedNot: (who) => `La huella que aceptó ${who} no es la del archivo original.`,
    pictures: "Evidencia",
    picturesOf: (intact, all) =>
      `${intact} de ${all} archivos de evidencia (firmas dibujadas, fotografías) coinciden con su huella registrada.`,
    file: {
      intact: "El archivo conservado coincide con la huella registrada.",
      altered: "El archivo conservado NO coincide con la huella registrada.",
      gone: "El archivo ya no se conserva. Una copia en poder de las partes se puede comparar con la huella registrada.",
    },
    chainHead: "Huella final de la cadena",
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
    byMessage: "Por mensaje al teléfono indicado, con un enlace personal",
    byIntegrator: "Enlace personal entregado por el solicitante",
    steps: {
      messageSentAt: "Mensaje enviado",
      messageDeliveredAt: "Mensaje entregado",
      answeredAt: "Respondió que continúa",
      linkSentAt: "Enlace enviado",
      firstOpenedAt: "Abrió el documento",
    },
    signedAt: "Firmó el",
    rejectedAt: "Rechazó el",
    consent: "Consentimiento",
    consentGiven: (version, at) => `Versión ${version}, aceptado el ${at}:`,
    consentUnknown: "Texto no disponible.",
    agreedTo: "SHA-256 del archivo aceptado",
    ip: "Dirección IP",
    browser: "Navegador y dispositivo",
    unknownBrowser: "No reconocido",
    drawing: "Firma dibujada",
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
    intro:
      "Lo que el proveedor externo de verificación de identidad conserva de sus controles, obtenido al terminar el documento y guardado desde entonces.",
    awaited: "El proveedor de identidad todavía no entregó su evidencia. El servicio sigue pidiéndola.",
    none: "El proveedor de identidad no conserva evidencia de este firmante.",
    kinds: { audit: "Auditoría", photo: "Fotografía" },
    file: "Archivo",
    mediaType: "Tipo y tamaño",
    sha256: "SHA-256 del archivo",
    attached: (name) => `Adjunta a este informe: ${name}`,
    notAttached: "No se adjunta por su tamaño",
    fileName: (signer, file) => `auditoria-firmante-${signer}-${file}`,
  },
  log: {
    title: "Registro de eventos",
    intro:
      "Todo lo registrado sobre el documento, en orden. La huella de cada evento es SHA-256 de su contenido y de la huella del evento anterior; aquí se muestran sus primeros 16 dígitos.",
    number: "N.º",
    at: "Fecha y hora (UTC)",
    event: "Evento",
    actor: "Quién",
    hash: "Huella",
    unreadable: "Contenido ilegible",
    more: (count) => `Siguen otros ${count} eventos, que la exportación de auditoría del servicio contiene completos.`,
    attempt: (number) => `intento ${number}`,
    events: {
      DocumentRequested: "Firma solicitada",
      DocumentPrepared: "Documento preparado",
      PreparationFailed: "El documento no se pudo preparar",
      SignerQueued: "En espera: otro documento activo en el teléfono",
      SignerTurnCame: "Turno del firmante",
      MessageAttempted: "Envío de mensaje iniciado",
      MessageSent: "Mensaje enviado",
      MessageDelivered: "Mensaje entregado",
      MessageRead: "Mensaje leído",
      MessageFailed: "Mensaje no entregado",
      TemplateAnswered: "Respondió que continúa",
      ContinueRefused: "Respondió que no continúa",
      SignatureLinkSent: "Enlace de firma enviado",
      SigningPageOpened: "Página de firma abierta",
      SelfieUploaded: "Selfie recibida",
      IdFrontUploaded: "Frente del documento recibido",
      IdBackUploaded: "Dorso del documento recibido",
      SelfieValidated: "Selfie validada",
      IdDocumentValidated: "Documento de identidad validado",
      MrzValidated: "Zona MRZ validada",
      IdDocumentErrorFound: "Documento de identidad no utilizable",
      IdentityProviderFailed: "Proveedor de identidad sin respuesta",
      IdentityProviderRejected: "Rechazo del proveedor de identidad",
      ConsentGiven: "Consentimiento otorgado",
      DocumentSigned: "Documento firmado",
      DocumentCompleted: "Todas las firmas completas",
      DocumentSealed: "Documento sellado",
      SealingFailed: "Sello no aplicado; se reintenta",
      EvidenceFetched: "Evidencia de identidad obtenida",
      EvidenceFetchFailed: "Evidencia de identidad no obtenida; se reintenta",
      ReportGenerated: "Informe legal disponible",
      Rejected: "Documento rechazado",
    },
    actors: {
      integrator: "Solicitante",
      signer: "Firmante",
      operator: "Operador",
      provider: "Proveedor externo",
      service: (name) => `Servicio (${name})`,
    },
    services: {
      turns: "turnos",
      messages: "mensajes",
      sealing: "sellado",
      report: "informe",
      identity: "identidad",
      preparation: "preparación",
      webhooks: "avisos",
    },
  },
  sealSection: {
    title: "Sello electrónico",
    none: "Un documento rechazado no se sella. Este informe sí lleva el sello del servicio.",
    sealedAt: "Sellado el",
    level: "Nivel alcanzado",
    shortfall: "Por qué no uno superior",
    levels: {
      "B-B": "PAdES B-B (ETSI EN 319 142-1): sello avanzado con el certificado de firma",
      "B-T": "PAdES B-T (ETSI EN 319 142-1): con sello de tiempo RFC 3161",
      "B-LT": "PAdES B-LT (ETSI EN 319 142-1): con sello de tiempo y datos de validación incluidos",
      "B-LTA": "PAdES B-LTA (ETSI EN 319 142-1): con datos de validación y sello de tiempo de archivo",
    },
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
    paragraphs: [
      "El sello prueba que el archivo no cambió desde que el servicio lo selló. La cadena de eventos prueba que el registro no fue alterado después de escrito: cambiar, quitar o reordenar un evento rompe las huellas de todos los que le siguen.",
      "Que quien actuó es la persona nombrada se apoya en los medios de autenticación indicados para cada firmante: la posesión de su teléfono o de su enlace personal y, donde fueron pedidas, las fotografías y validaciones de identidad. Sin sello de tiempo (nivel B-B), las horas son las del reloj del servicio.",
      "La validez jurídica de la firma depende de la ley aplicable y la determina la autoridad competente.",
    ],
  },
};
