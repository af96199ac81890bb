/** What the reading endpoints say when they can't answer, word for word as the API's contract has it (section 7). */
export const texts = {
  unknownId: { error: "No se encontró el id de seguimiento" },
  fileNotThere: { error: "No se encontró el archivo" },
  reportNotThere: { error: "No se encontró el informe" },
  reportFailed: { error: "Error al obtener el informe" },
  documentFailed: { error: "Error al obtener el documento" },
  statusFailed: { error: "Error al obtener el estado de la firma" },
  /** The contract states no texts for the metadata; these have the status endpoint's shape. */
  metadataFailed: { error: "Error al obtener los metadatos de los firmantes" },
  photoFailed: { error: "Error al obtener la foto" },
  /** Nor for what was erased. */
  erased: { error: "Los datos del documento fueron eliminados" },
  unknownLog: { error: "Document not found" },
} as const;
