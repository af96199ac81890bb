import { badRequest, callerOf, type HttpPlugin } from "@rubrica/http";
import {
  type ListedDocument,
  type ListedPerson,
  listedBy,
  listedDocuments,
  listedWithin,
  PERSON_FIELD,
  type PersonKey,
  personHmac,
  placeOf,
} from "@rubrica/read-models";
import type { QueryApiDependencies } from "./dependencies.ts";
import { cursorOf, FindQuery, type FoundDocument, FoundDocuments } from "./found-schemas.ts";
import { errorOf, notYet } from "./schemas.ts";
import { upToNow } from "./up-to-now.ts";

type Dependencies = Pick<
  QueryApiDependencies,
  "accounts" | "events" | "readModels" | "freshness" | "namesOf" | "reasonOf" | "customIdHmac"
>;

/** A document's place in the list, and the document where it was read along. */
interface ListEntry {
  place: string;
  documentId: string;
  document?: ListedDocument;
}

const personIn = (query: FindQuery): { key: PersonKey; value: string } | undefined => {
  for (const key of ["phone", "dni", "id_custom"] as const) {
    const value = query[key];
    if (value !== undefined) return { key, value };
  }
  return undefined;
};

/** The first entries of an account's documents: by the person, where one is named, else by what is indexed. */
const firstEntriesOf = async (
  { readModels, customIdHmac }: Dependencies,
  query: FindQuery,
  accountId: string,
): Promise<ListEntry[]> => {
  const { limit, cursor: after } = query;
  const within = {
    after,
    fromMs: query.from === undefined ? undefined : Date.parse(query.from),
    toMs: query.to === undefined ? undefined : Date.parse(query.to) - 1,
  };
  const person = personIn(query);
  if (person) {
    const prefix = `${personHmac(customIdHmac, accountId, person.key, person.value)}/`;
    const range = { ...listedWithin(prefix, within), limit };
    const found = await readModels.findRange<ListedPerson>(listedDocuments, PERSON_FIELD, range);
    return found.map(({ document: { documentId, byPerson } }) => ({
      documentId,
      place: byPerson.slice(prefix.length),
    }));
  }
  const { field, prefix } = listedBy({ accountId, status: query.status, campaignId: query.campaign_id });
  const range = { ...listedWithin(prefix, within), limit };
  const found = await readModels.findRange<ListedDocument>(listedDocuments, field, range);
  return found.map(({ document }) => ({ documentId: document.documentId, place: placeOf(document), document }));
};

const statusOfSigner = (
  { end }: ListedDocument,
  { signedAt, rejected }: ListedDocument["signers"][number],
): FoundDocument["status"] => {
  if (signedAt !== null) return "signed";
  if (rejected) return "rejected";
  return end === null ? "pending" : "ended";
};

const bodyOf = async (document: ListedDocument, { namesOf, reasonOf }: Dependencies): Promise<FoundDocument> => {
  const { documentId, end, endRevision, erased, corrections } = document;
  const names = erased ? null : await namesOf(documentId, corrections);
  const hasReason = end?.kind === "rejected" || end?.kind === "canceled";
  const reason = !erased && hasReason && endRevision !== null ? await reasonOf(documentId, endRevision) : null;
  return {
    id_seguimiento: documentId,
    document_name: names?.documentName ?? null,
    status: document.status,
    end: end && { ...end, reason },
    created_at: document.createdAt,
    ended_at: end?.at ?? null,
    expires_at: document.expiresAt,
    signers: document.signers.map((signer) => {
      const person = names?.people.get(signer.signerId);
      return {
        id_custom: person?.idCustom ?? null,
        name: person?.name ?? null,
        contact: person?.phone ?? null,
        status: statusOfSigner(document, signer),
        signed_at: signer.signedAt,
      };
    }),
  };
};

const isWanted = ({ status, campaignId }: ListedDocument, query: FindQuery): boolean =>
  (query.status === undefined || status === query.status) &&
  (query.campaign_id === undefined || campaignId === query.campaign_id);

/** A page of what is searched for, of the account and its team. */
const pageOf = async (dependencies: Dependencies, query: FindQuery, callerAccountId: string) => {
  const { accounts, readModels } = dependencies;
  const owners = [callerAccountId, ...(await accounts.teammatesOf(callerAccountId))];
  const ofEach = await Promise.all(owners.map((accountId) => firstEntriesOf(dependencies, query, accountId)));
  const entries = ofEach
    .flat()
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .slice(0, query.limit);
  // All at once: a page is short, and each is a read of its own on a store that may be far.
  const found = await Promise.all(
    entries.map(async ({ documentId, document }): Promise<FoundDocument[]> => {
      const listed = document ?? (await readModels.get(listedDocuments, documentId))?.document;
      return listed && isWanted(listed, query) ? [await bodyOf(listed, dependencies)] : [];
    }),
  );
  const documents = found.flat();
  const last = entries.length === query.limit ? entries.at(-1) : undefined;
  return { documents, next_cursor: last ? cursorOf(last.place) : null };
};

/** `GET /api/v2/documents`: the account's and its team's documents, searched by what is known of them. */
export const findDocuments =
  (dependencies: Dependencies): HttpPlugin =>
  async (app) => {
    app.get(
      "/api/v2/documents",
      {
        schema: {
          tags: ["documents"],
          operationId: "findDocuments",
          summary: "Find documents",
          description:
            "Of the account and its team, the newest first, by where they stand, by a signer, by campaign, by time; any other " +
            "parameter is a 400. " +
            "Sees every earlier answer.",
          querystring: FindQuery,
          response: {
            200: FoundDocuments,
            400: badRequest(
              { path: "cursor", message: "must be the next_cursor of an answer" },
              "It is not understood.",
            ),
            500: errorOf({ error: "Internal Server Error" }, "Something failed on this side."),
            503: notYet,
          },
        },
      },
      async (request) => {
        const { accountId } = callerOf(request);
        await upToNow(dependencies, listedDocuments);
        return pageOf(dependencies, request.query, accountId);
      },
    );
  };
