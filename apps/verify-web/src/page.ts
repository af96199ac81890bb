import { baseStyle, selfContainedPage } from "@rubrica/pages";

/** The page of `GET /verify`. */
export const verifyPage = selfContainedPage(new URL("page/", import.meta.url), baseStyle);
