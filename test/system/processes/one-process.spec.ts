import { inOneProcess } from "../../support/place.ts";
import { endToEnd } from "./suite.ts";

endToEnd(inOneProcess);
