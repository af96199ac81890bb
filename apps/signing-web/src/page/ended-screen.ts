import type { SigningState } from "./api.ts";
import { messageScreen } from "./message-screen.ts";
import { timeShown } from "./moment.ts";
import type { Screen } from "./stage.ts";
import { texts } from "./texts.ts";

/** A document that nobody signs any more: how it ended, in a sentence. */
export const endedScreen = (state: SigningState): Screen =>
  messageScreen({ tone: "neutral", icon: "close", about: state, title: texts.ended.title, text: sentenceOf(state) });

const sentenceOf = ({ status, end, business_name: business, page_count, time_zone }: SigningState): string => {
  const words = texts.ended;
  switch (end?.kind) {
    case "canceled":
      return end.reason === null ? words.canceled(business) : words.canceledBecause(business, end.reason);
    case "expired":
      return (status === "signed" ? words.expiredAfterSigning : words.expired)(business, timeShown(end.at, time_zone));
    case "rejected":
      return words.rejected(business);
    default:
      // What never had a page could not be prepared.
      return page_count === null ? words.text : words.rejected(business);
  }
};
