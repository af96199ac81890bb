import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Where a process finds whoever asks it, and how it shows that it is the one that was started. */
export interface PipeAddress {
  /** The name of a pipe, as the office program calls a socket in its `/tmp`. */
  pipe: string;
  token: string;
}

const SERVE_BASIC = readFileSync(new URL("serve.bas", import.meta.url), "utf8");
const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const DOCTYPE = "-//OpenOffice.org//DTD OfficeDocument 1.0//EN";
const LIBRARY_NAMESPACES =
  'xmlns:library="http://openoffice.org/2000/library" xmlns:xlink="http://www.w3.org/1999/xlink"';

/**
 * What the office program must know and must not do. A profile that is not "completed" is filled from presets at the
 * first start, over the macro. Without the block, a document makes it fetch pictures from the network and from the disk;
 * the proxy that does not exist is there for what the block overlooks.
 */
const SETTINGS: readonly [path: string, name: string, value: string][] = [
  ["Setup/Office", "ooSetupInstCompleted", "true"],
  ["Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"],
  ["Office.Common/Security/Scripting", "MacroSecurityLevel", "3"],
  ["Office.Common/Misc", "UseLocking", "false"],
  ["Inet/Settings", "ooInetProxyType", "2"],
  ["Inet/Settings", "ooInetHTTPProxyName", "127.0.0.1"],
  ["Inet/Settings", "ooInetHTTPProxyPort", "9"],
  ["Inet/Settings", "ooInetHTTPSProxyName", "127.0.0.1"],
  ["Inet/Settings", "ooInetHTTPSProxyPort", "9"],
];

/** Makes a profile folder (for `-env:UserInstallation`), with the macro that serves the pipe, if one is given. */
export const writeProfile = async (folder: string, address?: PipeAddress): Promise<void> => {
  const basic = join(folder, "user", "basic");
  const standard = join(basic, "Standard");
  await mkdir(standard, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, "user", "registrymodifications.xcu"), settings());
  if (!address) return;
  await writeFile(join(basic, "script.xlc"), libraries());
  await writeFile(join(standard, "script.xlb"), library());
  await writeFile(join(standard, "Rubrica.xba"), module(address), { mode: 0o600 });
};

const settings = (): string => {
  const items = SETTINGS.map(
    ([path, name, value]) =>
      `<item oor:path="/org.openoffice.${path}"><prop oor:name="${name}" oor:op="fuse"><value>${value}</value></prop></item>`,
  );
  return `${XML}\n<oor:items xmlns:oor="http://openoffice.org/2001/registry">${items.join("")}</oor:items>`;
};

const libraries = (): string =>
  `${XML}\n<!DOCTYPE library:libraries PUBLIC "${DOCTYPE}" "libraries.dtd">
<library:libraries ${LIBRARY_NAMESPACES}>
<library:library library:name="Standard" xlink:href="$(USER)/basic/Standard/script.xlb/" xlink:type="simple" library:link="false"/>
</library:libraries>`;

const library = (): string =>
  `${XML}\n<!DOCTYPE library:library PUBLIC "${DOCTYPE}" "library.dtd">
<library:library ${LIBRARY_NAMESPACES} library:name="Standard" library:readonly="false" library:passwordprotected="false">
<library:element library:name="Rubrica"/>
</library:library>`;

const module = ({ pipe, token }: PipeAddress): string => {
  const source = SERVE_BASIC.replace("%PIPE%", pipe).replace("%TOKEN%", token);
  const escaped = source.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return `${XML}\n<!DOCTYPE script:module PUBLIC "${DOCTYPE}" "module.dtd">
<script:module xmlns:script="http://openoffice.org/2000/script" script:name="Rubrica" script:language="StarBasic">${escaped}</script:module>`;
};
