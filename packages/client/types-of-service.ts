import openapiTs, { astToString, COMMENT_HEADER, type OpenAPI3 } from "openapi-typescript";

/** TypeScript for the API that the service at `url` describes itself to have. */
export const typesOfService = async (url: string): Promise<string> => {
  const description = (await (await fetch(`${url}/openapi.json`)).json()) as OpenAPI3;
  return `${COMMENT_HEADER}${astToString(await openapiTs(description))}`;
};
