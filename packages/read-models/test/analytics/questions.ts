const STEPS = ["requested", "reached", "continued", "opened", "identified", "signed", "rejected", "unreachable"];

/** A question that people ask, as SQL over the tables for analysts, and as MongoDB's pipeline over one of the views. */
export interface Question {
  asks: string;
  /** As SQLite takes it, and DuckDB too. */
  sql: string;
  /** What DuckDB takes in its place. */
  duckdb?: string;
  /** The view, and the stages. */
  mongodb: readonly [view: string, pipeline: readonly object[]];
  /** What comes of it for the documents of `questions.spec.ts`. */
  answer: readonly Readonly<Record<string, unknown>>[];
}

const anyText = (): unknown => ({ asymmetricMatch: (value: unknown) => typeof value === "string" });

export const questions: readonly Question[] = [
  {
    asks: "How many documents were signed by all within a day, by week?",
    sql: `SELECT date(requested_at, 'weekday 0', '-6 days') AS week, count(*) AS requested,
  sum(coalesce(ms_to_complete <= 86400000, 0)) AS within_a_day
FROM documents GROUP BY week ORDER BY week`,
    duckdb: `SELECT strftime(date_trunc('week', requested_at::DATE), '%Y-%m-%d') AS week, count(*) AS requested,
  sum(coalesce(ms_to_complete <= 86400000, 0)) AS within_a_day
FROM documents GROUP BY week ORDER BY week`,
    mongodb: [
      "documents",
      [
        {
          $group: {
            _id: { $dateTrunc: { date: "$requestedAt", unit: "week", startOfWeek: "monday" } },
            requested: { $sum: 1 },
            within_a_day: {
              $sum: {
                $cond: [{ $and: [{ $ne: ["$msToComplete", null] }, { $lte: ["$msToComplete", 86400000] }] }, 1, 0],
              },
            },
          },
        },
        { $sort: { _id: 1 } },
        {
          $project: {
            _id: 0,
            week: { $dateToString: { date: "$_id", format: "%Y-%m-%d" } },
            requested: 1,
            within_a_day: 1,
          },
        },
      ],
    ],
    answer: [
      { week: "2026-11-16", requested: 2, within_a_day: 1 },
      { week: "2026-11-23", requested: 3, within_a_day: 0 },
    ],
  },
  {
    asks: "Where do signers stop?",
    sql: `SELECT sum(requested) AS requested, sum(reached) AS reached, count(reached) AS reached_of,
  sum(continued) AS continued, count(continued) AS continued_of, sum(opened) AS opened,
  sum(identified) AS identified, count(identified) AS identified_of, sum(signed) AS signed, sum(rejected) AS rejected, sum(unreachable) AS unreachable
FROM funnel`,
    mongodb: [
      "funnel",
      [
        {
          $group: {
            _id: null,
            ...Object.fromEntries(STEPS.map((step) => [step, { $sum: `$${step}` }])),
            ...Object.fromEntries(
              ["reached", "continued", "identified"].map((step) => [
                `${step}_of`,
                { $sum: { $cond: [{ $ne: [`$${step}`, null] }, 1, 0] } },
              ]),
            ),
          },
        },
        { $unset: "_id" },
      ],
    ],
    answer: [
      {
        requested: 5,
        reached: 3,
        reached_of: 5,
        continued: 2,
        continued_of: 2,
        opened: 3,
        identified: 0,
        identified_of: 1,
        signed: 2,
        rejected: 1,
        unreachable: 0,
      },
    ],
  },
  {
    asks: "Which medium reaches best?",
    sql: `SELECT medium, count(*) AS tried, sum(delivered_at IS NOT NULL OR read_at IS NOT NULL) AS arrived
FROM messages WHERE kind = 'template' GROUP BY medium ORDER BY medium`,
    mongodb: [
      "messages",
      [
        { $match: { kind: "template" } },
        {
          $group: {
            _id: "$medium",
            tried: { $sum: 1 },
            arrived: {
              $sum: { $cond: [{ $or: [{ $ne: ["$deliveredAt", null] }, { $ne: ["$readAt", null] }] }, 1, 0] },
            },
          },
        },
        { $sort: { _id: 1 } },
        { $project: { _id: 0, medium: "$_id", tried: 1, arrived: 1 } },
      ],
    ],
    answer: [
      { medium: "sms", tried: 1, arrived: 1 },
      { medium: "wpp", tried: 3, arrived: 2 },
    ],
  },
  {
    asks: "Which receivers of webhooks are slowest?",
    sql: `SELECT receiver, count(*) AS webhooks, avg(ms_first_attempt) AS ms_first_attempt, max(attempts) AS attempts
FROM webhooks GROUP BY receiver ORDER BY ms_first_attempt DESC LIMIT 10`,
    mongodb: [
      "webhooks",
      [
        {
          $group: {
            _id: "$receiver",
            webhooks: { $sum: 1 },
            ms_first_attempt: { $avg: "$msFirstAttempt" },
            attempts: { $max: "$attempts" },
          },
        },
        { $sort: { ms_first_attempt: -1 } },
        { $limit: 10 },
        { $project: { _id: 0, receiver: "$_id", webhooks: 1, ms_first_attempt: 1, attempts: 1 } },
      ],
    ],
    answer: [{ receiver: anyText(), webhooks: 2, ms_first_attempt: 420, attempts: 1 }],
  },
  {
    asks: "Who waits in line longest, behind another document on their phone?",
    sql: `SELECT document_id, "order", queued_at FROM signers
WHERE queued_at IS NOT NULL AND (turn_at IS NULL OR turn_at < queued_at)
  AND signed_at IS NULL AND rejected_at IS NULL AND withdrawn_at IS NULL
ORDER BY queued_at LIMIT 10`,
    mongodb: [
      "signers",
      [
        {
          $match: {
            queuedAt: { $ne: null },
            ...{ signedAt: null, rejectedAt: null, withdrawnAt: null },
            $expr: { $or: [{ $eq: ["$turnAt", null] }, { $lt: ["$turnAt", "$queuedAt"] }] },
          },
        },
        { $sort: { queuedAt: 1 } },
        { $limit: 10 },
        { $project: { document_id: "$documentId", order: 1, queued_at: "$queuedAt" } },
      ],
    ],
    answer: [{ document_id: anyText(), order: 0, queued_at: "2026-11-23T09:00:01.000Z" }],
  },
  {
    asks: "How long do signers take, by campaign: half of them, and nine in ten?",
    sql: `WITH ranked AS (
  SELECT account_id, campaign_id, ms_to_sign_from_turn AS ms,
    row_number() OVER (PARTITION BY account_id, campaign_id ORDER BY ms_to_sign_from_turn) AS place,
    count(*) OVER (PARTITION BY account_id, campaign_id) AS of
  FROM signers WHERE ms_to_sign_from_turn IS NOT NULL)
SELECT account_id, campaign_id, max(of) AS signed,
  min(CASE WHEN place >= 0.5 * of THEN ms END) AS median_ms, min(CASE WHEN place >= 0.9 * of THEN ms END) AS p90_ms
FROM ranked GROUP BY account_id, campaign_id ORDER BY account_id, campaign_id NULLS FIRST`,
    mongodb: [
      "signers",
      [
        { $match: { msToSignFromTurn: { $ne: null } } },
        { $group: { _id: { account: "$accountId", campaign: "$campaignId" }, ms: { $push: "$msToSignFromTurn" } } },
        { $set: { ms: { $sortArray: { input: "$ms", sortBy: 1 } }, signed: { $size: "$ms" } } },
        {
          $project: {
            _id: 0,
            account_id: "$_id.account",
            campaign_id: "$_id.campaign",
            signed: 1,
            median_ms: { $arrayElemAt: ["$ms", { $subtract: [{ $ceil: { $multiply: [0.5, "$signed"] } }, 1] }] },
            p90_ms: { $arrayElemAt: ["$ms", { $subtract: [{ $ceil: { $multiply: [0.9, "$signed"] } }, 1] }] },
          },
        },
      ],
    ],
    answer: [{ account_id: anyText(), campaign_id: 7, signed: 2, median_ms: 7_199_000, p90_ms: 259_199_000 }],
  },
  {
    asks: "Why do messages fail?",
    sql: `SELECT provider, medium, error_code, count(*) AS messages FROM messages
WHERE error_code IS NOT NULL GROUP BY provider, medium, error_code ORDER BY messages DESC`,
    mongodb: [
      "messages",
      [
        { $match: { errorCode: { $ne: null } } },
        {
          $group: {
            _id: { provider: "$provider", medium: "$medium", error_code: "$errorCode" },
            messages: { $sum: 1 },
          },
        },
        { $sort: { messages: -1 } },
        { $replaceRoot: { newRoot: { $mergeObjects: ["$_id", { messages: "$messages" }] } } },
      ],
    ],
    answer: [{ provider: "Acme Identity", medium: "wpp", error_code: "unreachable", messages: 1 }],
  },
  {
    asks: "How do documents end, by campaign?",
    sql: `SELECT account_id, campaign_id, coalesce(ended_because, 'open') AS ended_because, count(*) AS documents
FROM documents GROUP BY account_id, campaign_id, ended_because ORDER BY account_id, campaign_id NULLS FIRST, ended_because`,
    mongodb: [
      "documents",
      [
        {
          $group: {
            _id: { account: "$accountId", campaign: "$campaignId", ended: { $ifNull: ["$endedBecause", "open"] } },
            documents: { $sum: 1 },
          },
        },
        { $sort: { "_id.account": 1, "_id.campaign": 1, "_id.ended": 1 } },
        {
          $replaceRoot: {
            newRoot: {
              account_id: "$_id.account",
              campaign_id: "$_id.campaign",
              ended_because: "$_id.ended",
              documents: "$documents",
            },
          },
        },
      ],
    ],
    answer: [
      { account_id: anyText(), campaign_id: null, ended_because: "canceled", documents: 1 },
      { account_id: anyText(), campaign_id: null, ended_because: "open", documents: 1 },
      { account_id: anyText(), campaign_id: null, ended_because: "rejected", documents: 1 },
      { account_id: anyText(), campaign_id: 7, ended_because: "signed", documents: 2 },
    ],
  },
  {
    asks: "How often are selfies taken anew?",
    sql: `SELECT selfie_attempts, count(*) AS signers FROM signers
WHERE identity_required GROUP BY selfie_attempts ORDER BY selfie_attempts`,
    mongodb: [
      "signers",
      [
        { $match: { identityRequired: true } },
        { $group: { _id: "$selfieAttempts", signers: { $sum: 1 } } },
        { $sort: { _id: 1 } },
        { $project: { _id: 0, selfie_attempts: "$_id", signers: 1 } },
      ],
    ],
    answer: [{ selfie_attempts: 2, signers: 1 }],
  },
  {
    asks: "How many signers of each country sign?",
    sql: `SELECT country, sum(requested) AS signers, sum(signed) AS signed FROM funnel
GROUP BY country ORDER BY signers DESC, country NULLS FIRST`,
    mongodb: [
      "funnel",
      [
        { $group: { _id: "$country", signers: { $sum: "$requested" }, signed: { $sum: "$signed" } } },
        { $sort: { signers: -1, _id: 1 } },
        { $project: { _id: 0, country: "$_id", signers: 1, signed: 1 } },
      ],
    ],
    answer: [
      { country: "AR", signers: 4, signed: 1 },
      { country: "UY", signers: 1, signed: 1 },
    ],
  },
  {
    asks: "Which open documents are oldest?",
    sql: "SELECT document_id, state, requested_at FROM documents WHERE ended_at IS NULL ORDER BY requested_at LIMIT 10",
    mongodb: [
      "documents",
      [
        { $match: { endedAt: null } },
        { $sort: { requestedAt: 1 } },
        { $limit: 10 },
        { $project: { document_id: "$documentId", state: 1, requested_at: "$requestedAt" } },
      ],
    ],
    answer: [{ document_id: anyText(), state: "waiting", requested_at: "2026-11-23T09:00:00.000Z" }],
  },
  {
    asks: "At what hour of the day (UTC) do people sign?",
    sql: `SELECT substr(signed_at, 12, 2) AS hour, count(*) AS signed FROM signers
WHERE signed_at IS NOT NULL GROUP BY hour ORDER BY hour`,
    mongodb: [
      "signers",
      [
        { $match: { signedAt: { $ne: null } } },
        { $group: { _id: { $dateToString: { date: "$signedAt", format: "%H" } }, signed: { $sum: 1 } } },
        { $sort: { _id: 1 } },
        { $project: { _id: 0, hour: "$_id", signed: 1 } },
      ],
    ],
    answer: [
      { hour: "10", signed: 1 },
      { hour: "12", signed: 1 },
    ],
  },
];
