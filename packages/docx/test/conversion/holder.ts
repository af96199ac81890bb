import { systemRuntime } from "@rubrica/runtime";
import { docxOf, paragraph } from "@rubrica/test-kit/docx";
import { type DocxConverter, openConverter } from "../../src/index.ts";

/** A process that holds a warm office program until it is killed: `node holder.ts FOLDER ENGINE`. It says when it is warm. */
const [folder = "", engine] = process.argv.slice(2);
const opened = await openConverter({
  ...systemRuntime(),
  folder,
  engines: [engine as DocxConverter["engine"]],
  processes: 1,
});
if (!opened.converter) throw new Error(opened.reason);
await opened.converter.convert(docxOf(paragraph("x")), "account:a");
process.stdout.write("warm");
