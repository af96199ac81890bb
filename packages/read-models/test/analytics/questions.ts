/** A question that people ask, as SQLite's SQL over the tables for analysts. */
export interface Question {
  asks: string;
  sql: string;
  /** What comes of it for the documents of `questions.spec.ts`. */
  answer: readonly Readonly<Record<string, unknown>>[];
}

export const questions: readonly Question[] = [
  {
    asks: "How many documents were signed by all within a day, by week?",
    sql: `SELECT strftime('%Y-%W', requested_at) AS week, count(*) AS requested,
  sum(coalesce(ms_to_complete <= 86400000, 0)) AS within_a_day
FROM documents GROUP BY week ORDER BY week`,
    answer: [
      { week: "2026-46", requested: 2, within_a_day: 1 },
      { week: "2026-47", requested: 2, within_a_day: 0 },
    ],
  },
  {
    asks: "Where do signers stop?",
    sql: `SELECT sum(requested) AS requested, sum(reached) AS reached, sum(continued) AS continued, sum(opened) AS opened,
  sum(identified) AS identified, sum(signed) AS signed, sum(rejected) AS rejected, sum(unreachable) AS unreachable
FROM funnel`,
    answer: [
      {
        requested: 4,
        reached: 3,
        continued: 2,
        opened: 3,
        identified: 0,
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
    answer: [
      { medium: "sms", tried: 1, arrived: 1 },
      { medium: "wpp", tried: 3, arrived: 2 },
    ],
  },
  {
    asks: "Which receivers of webhooks are slowest?",
    sql: `SELECT receiver, count(*) AS webhooks, avg(ms_first_attempt) AS ms_first_attempt, max(attempts) AS attempts
FROM webhooks GROUP BY receiver ORDER BY ms_first_attempt DESC LIMIT 10`,
    answer: [{ receiver: anyText(), webhooks: 2, ms_first_attempt: 420, attempts: 1 }],
  },
  {
    asks: "Who waits in line longest, behind another document on their phone?",
    sql: `SELECT document_id, "order", queued_at FROM signers
WHERE state = 'queued' AND queued_at IS NOT NULL ORDER BY queued_at LIMIT 10`,
    answer: [{ document_id: anyText(), order: 0, queued_at: "2026-11-23T09:00:01.000Z" }],
  },
  {
    asks: "How long do signers take, by campaign: half of them, and nine in ten?",
    sql: `WITH ranked AS (
  SELECT account_id, campaign_id, ms_to_sign_from_turn AS ms,
    row_number() OVER (PARTITION BY account_id, campaign_id ORDER BY ms_to_sign_from_turn) AS place,
    count(*) OVER (PARTITION BY account_id, campaign_id) AS of
  FROM signers WHERE ms_to_sign_from_turn IS NOT NULL)
SELECT campaign_id, max(of) AS signed,
  min(CASE WHEN place >= 0.5 * of THEN ms END) AS median_ms, min(CASE WHEN place >= 0.9 * of THEN ms END) AS p90_ms
FROM ranked GROUP BY account_id, campaign_id`,
    answer: [{ campaign_id: 7, signed: 2, median_ms: 7_199_000, p90_ms: 259_199_000 }],
  },
  {
    asks: "Why do messages fail?",
    sql: `SELECT provider, medium, error_code, count(*) AS messages FROM messages
WHERE error_code IS NOT NULL GROUP BY provider, medium, error_code ORDER BY messages DESC`,
    answer: [{ provider: "Acme Identity", medium: "wpp", error_code: "unreachable", messages: 1 }],
  },
  {
    asks: "How do documents end, by campaign?",
    sql: `SELECT campaign_id, coalesce(ended_because, 'open') AS ended_because, count(*) AS documents FROM documents
GROUP BY account_id, campaign_id, ended_because ORDER BY campaign_id, ended_because`,
    answer: [
      { campaign_id: null, ended_because: "open", documents: 1 },
      { campaign_id: null, ended_because: "rejected", documents: 1 },
      { campaign_id: 7, ended_because: "signed", documents: 2 },
    ],
  },
  {
    asks: "How often are selfies taken anew?",
    sql: `SELECT selfie_attempts, count(*) AS signers FROM signers
WHERE identity_required GROUP BY selfie_attempts ORDER BY selfie_attempts`,
    answer: [{ selfie_attempts: 2, signers: 1 }],
  },
  {
    asks: "How many signers of each country sign?",
    sql: `SELECT country, sum(requested) AS signers, sum(signed) AS signed FROM funnel
GROUP BY country ORDER BY signers DESC, country`,
    answer: [
      { country: "AR", signers: 3, signed: 1 },
      { country: "UY", signers: 1, signed: 1 },
    ],
  },
  {
    asks: "Which open documents are oldest?",
    sql: "SELECT document_id, state, requested_at FROM documents WHERE ended_at IS NULL ORDER BY requested_at LIMIT 10",
    answer: [{ document_id: anyText(), state: "waiting", requested_at: "2026-11-23T09:00:00.000Z" }],
  },
  {
    asks: "At what hour of the day (UTC) do people sign?",
    sql: `SELECT substr(signed_at, 12, 2) AS hour, count(*) AS signed FROM signers
WHERE signed_at IS NOT NULL GROUP BY hour ORDER BY hour`,
    answer: [
      { hour: "10", signed: 1 },
      { hour: "12", signed: 1 },
    ],
  },
];

function anyText(): unknown {
  return { asymmetricMatch: (value: unknown) => typeof value === "string" };
}
