import { selfContainedPage } from "@rubrica/pages";

/** The phone in the browser. */
export const simulatorPage = selfContainedPage(new URL("page/", import.meta.url));
