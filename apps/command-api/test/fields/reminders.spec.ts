import { beforeAll, expect, test } from "vitest";
import { ask, BAD, recorded, requestOf } from "../requests.ts";
import { type World, world } from "../world.ts";

let made: World;
beforeAll(async () => {
  made = await world();
});

const reminders = { after_hours: 24, every_hours: 48, max: 3 };

test("signers are reminded when the request says so, by its time zone", async () => {
  const of = async (fields: object) => (await recorded(made, requestOf({ ...fields }))).data;
  expect(await of({})).toMatchObject({ reminders: null, timeZone: null });
  expect(await of({ reminders, time_zone: "America/Bogota" })).toMatchObject({
    reminders: { afterHours: 24, everyHours: 48, max: 3 },
    timeZone: "America/Bogota",
  });
});

test.each([
  [{ reminders: { ...reminders, every_hours: 11 } }, "reminders.every_hours"],
  [{ reminders: { ...reminders, max: 11 } }, "reminders.max"],
  [{ reminders: { ...reminders, after_hours: 0 } }, "reminders.after_hours"],
  [{ reminders: { after_hours: 1, every_hours: 12 } }, "reminders.max"],
  [{ time_zone: "Mars/Olympus" }, "time_zone"],
  [{ time_zone: "+03:00" }, "time_zone"],
])("%j can't be", async (fields, path) => {
  const { status, body } = await ask(made, requestOf(fields));
  expect([status, body.error, body.details.map((detail: { path: string }) => detail.path)]).toEqual([400, BAD, [path]]);
});
