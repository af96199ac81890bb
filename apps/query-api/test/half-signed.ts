import { sample } from "@rubrica/events";
import { type World, world } from "./world.ts";

const { documentId } = sample;
const other = { signerId: "019aa5c0-0000-7000-8000-000000000052" };
/** When the second of the two signers signed, in seconds. */
export const signedAt = 1_795_273_203;

/** A document of two signers, "c1" and "c2", of whom the second has signed. */
export const halfSigned = (): World => {
  const made = world();
  const person = { name: "Ana Paz", idNumber: "30123456", idNumberCountry: "AR", phone: "5491122334455", email: null };
  const placement = { pages: 1, x: 1, y: 1 };
  made.history.add("DocumentRequested", {
    at: "2026-11-21T15:00:00.000Z",
    data: {
      signers: [
        { signerId: sample.signerId, lineId: null, order: 0, group: 0, placement },
        { signerId: other.signerId, lineId: null, order: 1, group: 1, placement },
      ],
    },
    personal: {
      signers: [
        { ...person, idCustom: "c1" },
        { ...person, idCustom: "c2", name: "Li 李" },
      ],
    },
  });
  made.history.add("MessageSent", { at: "2026-11-21T15:00:01.250Z", data: { signerId: other.signerId } });
  const drawingJpeg = made.file(documentId, "drawing", "image/jpeg");
  const data = { signerId: other.signerId, drawingJpeg };
  made.history.add("DocumentSigned", { at: "2026-11-21T15:00:03.999Z", data });
  return made;
};
export const completed = (made: World): World => {
  made.history.add("DocumentSigned", { at: "2026-11-21T15:00:09.000Z" });
  made.history.add("DocumentCompleted", { at: "2026-11-21T15:00:09.000Z" });
  return made;
};

/** The status and the text of an answer. */
export const bodyOf = async (made: World, url: string) => {
  const response = await made.get(url);
  return [response.statusCode, response.body];
};
