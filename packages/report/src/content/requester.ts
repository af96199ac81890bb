import type { Requester } from "@rubrica/events";
import type { Evidence } from "../evidence/evidence.ts";
import type { Field, Text } from "../layout/blocks.ts";
import type { ReportTexts } from "../texts.ts";
import { clipped, small } from "./words.ts";

const MAX_NAME = 200;

const identifier = (id: string): Text => [{ text: id, face: "monospaced", size: 8.5 }];

/** Who asked, as the first page has it: the account, and, where it is another, the name that signers were shown. */
export const requestedBy = ({ requester, names }: Evidence, { requester: words }: ReportTexts): Text[] => {
  const account = requester ? clipped(requester.accountName, MAX_NAME) : null;
  const shown = names ? clipped(names.businessName, MAX_NAME) : null;
  return [
    [{ text: words.byAccount(account ?? words.notRecorded), tone: "muted" }],
    ...(shown === null || shown === account ? [] : [[{ text: words.shownAs(shown), tone: "muted" as const }]]),
  ];
};

/** An account, and the key of it that was shown. */
export const keyOf = ({ accountName, keyId, keyName }: Requester, { requester: words }: ReportTexts): Text[] => [
  `${clipped(accountName, MAX_NAME)} · ${keyName ?? words.namelessKey}`,
  identifier(keyId),
];

/** Whose request it was, by what the service knows, and beside it what signers were shown. */
export const requesterFields = (evidence: Evidence, texts: ReportTexts): Field[] => {
  const { requester: words } = texts;
  const { requester, requestIp, names, accountId } = evidence;
  const notRecorded: Text = [{ text: words.notRecorded, tone: "muted" }];
  const forgotten: Text = [{ text: texts.forgotten, tone: "muted" }];
  const ip = requestIp === null ? notRecorded : identifier(requestIp);
  return [
    {
      label: words.account,
      value: [requester ? clipped(requester.accountName, MAX_NAME) : notRecorded, identifier(accountId)],
    },
    {
      label: words.key,
      value: requester ? [requester.keyName ?? words.namelessKey, identifier(requester.keyId)] : [notRecorded],
    },
    { label: words.ip, value: [names ? ip : forgotten] },
    { label: words.shown, value: [names ? clipped(names.businessName) : forgotten, small(words.shownNote)] },
  ];
};
