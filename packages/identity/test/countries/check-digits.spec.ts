import fc from "fast-check";
import { expect, test } from "vitest";
import { cuitCheckDigit } from "../../src/countries/argentina.ts";
import { rutCheckCharacter } from "../../src/countries/chile.ts";
import { curpCheckDigit } from "../../src/countries/mexico.ts";
import { cedulaCheckDigit } from "../../src/countries/uruguay.ts";
import { checkIdNumber } from "../../src/index.ts";

const accepted = (country: string, idNumber: string) => checkIdNumber({ idNumber, country, phone: "12025550123" }).ok;

/** `length` digits, not all of them zero. */
const digits = (length: number) =>
  fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
    .map((values) => values.join(""))
    .filter((text) => /[1-9]/.test(text));

/** Every number that differs from `idNumber` in exactly one digit, with the place and the difference. */
function* singleDigitChanges(idNumber: string) {
  for (const [place, old] of [...idNumber].entries()) {
    if (!/\d/.test(old)) continue;
    for (let digit = 0; digit <= 9; digit++) {
      if (digit === Number(old)) continue;
      const changed = idNumber.slice(0, place) + digit + idNumber.slice(place + 1);
      yield { changed, place, difference: digit - Number(old) };
    }
  }
}

test("a RUT: every change of one digit is caught (mod 11 with eleven check characters)", () => {
  fc.assert(
    fc.property(fc.constantFrom(6, 7, 8).chain(digits), (body) => {
      const rut = body + rutCheckCharacter(body);
      expect(accepted("CL", rut)).toBe(true);
      for (const { changed } of singleDigitChanges(rut)) expect(accepted("CL", changed), changed).toBe(false);
    }),
  );
});

test("a CUIT: every change of one digit is caught, but between numbers whose check digits 10 and 9 are both written 9", () => {
  const WEIGHTS = [5, 4, 3, 2, 7, 6, 5, 4, 3, 2];
  const remainder = (body: string) => WEIGHTS.reduce((sum, weight, i) => sum + weight * Number(body[i]), 0) % 11;
  fc.assert(
    fc.property(digits(10), (body) => {
      const cuit = body + cuitCheckDigit(body);
      expect(accepted("AR", cuit)).toBe(true);
      for (const { changed } of singleDigitChanges(cuit)) {
        const bothWrittenNine = [body, changed.slice(0, 10)].every((one) => [1, 2].includes(remainder(one)));
        if (changed.slice(0, 10) !== body && bothWrittenNine) continue;
        expect(accepted("AR", changed), changed).toBe(false);
      }
    }),
  );
});

test("a cédula: a change of one digit is caught, but one by 5 where the weight is even (mod 10)", () => {
  const EVEN_WEIGHT_PLACES = [0, 2, 4, 6];
  fc.assert(
    fc.property(digits(7), (body) => {
      const cedula = body + cedulaCheckDigit(body);
      expect(accepted("UY", cedula)).toBe(true);
      for (const { changed, place, difference } of singleDigitChanges(cedula)) {
        const promised = Math.abs(difference) !== 5 || !EVEN_WEIGHT_PLACES.includes(place);
        if (promised && /[1-9]/.test(changed)) expect(accepted("UY", changed), changed).toBe(false);
      }
    }),
  );
});

test("a cédula of seven digits has the check digit of the same number with a zero before it", () => {
  fc.assert(fc.property(digits(6), (body) => cedulaCheckDigit(body) === cedulaCheckDigit(`0${body}`)));
});

test("a CURP: a change of one digit of the serial part is caught where weight × difference is no multiple of 10", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 28 }), fc.integer({ min: 30, max: 99 }), (day, year) => {
      const first17 = `BOXW${year}08${String(day).padStart(2, "0")}HNERXN0`;
      const curp = first17 + curpCheckDigit(first17);
      expect(accepted("MX", curp)).toBe(true);
      for (const { changed, place, difference } of singleDigitChanges(curp)) {
        const weight = place === 17 ? 1 : 18 - place;
        if ((weight * difference) % 10 !== 0) expect(accepted("MX", changed), changed).toBe(false);
      }
    }),
  );
});

test("nothing that is thrown at it makes it throw, and what it stores is clean", () => {
  const countries = fc.option(fc.oneof(fc.constantFrom("AR", "UY", "CL", "MX", "BR"), fc.string()), { nil: undefined });
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), countries, fc.string(), (idNumber, country, phone) => {
      const result = checkIdNumber({ idNumber, country, phone });
      if (result.ok) expect(result.idNumber).toMatch(/^[A-ZÑ&0-9]{1,256}$/);
    }),
  );
});
