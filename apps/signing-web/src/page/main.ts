import { signingApi } from "./api.ts";
import { startApp } from "./app.ts";
import { stageIn } from "./stage.ts";

// …/s/{token} → …/api/signing/{token}, below the same path when the service has one.
const token = location.pathname.split("/").at(-1) ?? "";
const root = document.getElementById("app");
const api = signingApi(new URL(`../api/signing/${token}`, location.href).pathname);
if (root !== null) void startApp(api, stageIn(root));
