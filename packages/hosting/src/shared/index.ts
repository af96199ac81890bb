export { type AccountDirectoryOptions, ReadModelAccountDirectory } from "./account-directory.ts";
export { openDirectory } from "./directory.ts";
export { type Docx, docxPart, openDocx } from "./docx.ts";
export { openImages } from "./images.ts";
export { landingPage } from "./landing-page.ts";
export { openReports } from "./reports.ts";
export { openSigning, type Signing, signingPart, timestampsOf } from "./signing.ts";
export { type Welcome, welcomeOf } from "./welcome.ts";
