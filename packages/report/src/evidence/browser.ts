import Bowser from "bowser";

const named = (...parts: (string | undefined)[]): string | null => parts.filter(Boolean).join(" ") || null;

/** A user agent in a person's words, such as `Safari 17.4 · iOS 17.4 · Apple iPhone`; null when nothing in it is known. */
export const readableBrowser = (userAgent: string): string | null => {
  if (userAgent === "") return null;
  const { browser, os, platform } = Bowser.parse(userAgent);
  const parts = [
    named(browser.name, browser.version),
    named(os.name, os.versionName ?? os.version),
    named(platform.vendor, platform.model),
  ].filter((part) => part !== null);
  return parts.length > 0 ? parts.join(" · ") : null;
};
