import { sample } from "@rubrica/events";
import { expect, test } from "vitest";
import { world } from "./world.ts";

test.each(["biometric", "photos", "link"] as const)(
  "the event log names the authentication: %s",
  async (authentication) => {
    const made = world();
    made.history.add("DocumentRequested", { data: { authentication } });
    expect((await made.get(`/api/eventLogs/${sample.documentId}`)).json().autenticacion).toBe(authentication);
  },
);
