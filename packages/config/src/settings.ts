import type { VariableName } from "./environment.ts";

/** What each variable is for: the table of `docs/operations.md` is made of this. */

/** Variables that go together. */
export interface Setting {
  names: readonly VariableName[];
  /** Markdown, with links as from `docs/`. */
  says: string;
  /** Markdown: what holds where none is set, if that is not said by their own defaults. */
  byDefault?: string;
}

/** All variables, each once. */
export const settings: readonly Setting[] = [
  {
    names: ["HOST", "PORT"],
    says: "where it listens",
  },
  {
    names: ["METRICS_PORT", "METRICS_HOST"],
    byDefault: "none, `127.0.0.1`",
    says: "where `/metrics` is served for [Prometheus](#metrics-and-alerts), and nothing else; without a port, nowhere. Whoever reaches it needs no key: it names nobody",
  },
  {
    names: ["PUBLIC_URL"],
    byDefault: "`http://localhost:{PORT}`",
    says: "where signers and integrators reach it; links are made of it. With one that is not loopback there is no demo account (the key of a former demo on that folder is blocked), and `MESSAGING` has to be said",
  },
  {
    names: ["DATA_DIR"],
    says: "events, keys, files, read models; one service process at a time",
  },
  {
    names: ["EVENTSTORE_URL"],
    byDefault: "embedded, in `DATA_DIR`",
    says: "an EventStoreDB that keeps the events: `esdb://…`, `esdb+discover://…`",
  },
  {
    names: ["MONGODB_URL"],
    byDefault: "embedded, in `DATA_DIR`",
    says: "a MongoDB that keeps read models, keys and files: `mongodb://…`, `mongodb+srv://…`",
  },
  {
    names: ["NATS_URL"],
    byDefault: "within the process",
    says: "a NATS server with JetStream that brings what is owed to who does it: `nats://…`, `tls://…`",
  },
  {
    names: ["NATS_REPLICAS"],
    byDefault: "3, or 1 where NATS refuses",
    says: "on how many servers of NATS messages are kept; with one server, `1`",
  },
  {
    names: ["SECRET"],
    byDefault: "made and kept in `DATA_DIR`",
    says: "wraps the keys of all documents and signs the links: back it up with the data, apart from it",
  },
  {
    names: ["FORMER_SECRETS"],
    says: "comma-separated, newest first: what they protected stays readable",
  },
  {
    names: ["DEMO_API_KEY"],
    byDefault: "made of `SECRET`",
    says: "sets the demo account's key, where there is that account",
  },
  {
    names: ["SIGNING_CERTIFICATE_P12", "SIGNING_CERTIFICATE_PASSPHRASE"],
    byDefault: "made at the first start",
    says: "a PKCS #12 file with the certificate that seals; without one the service has a CA of its own",
  },
  {
    names: ["FORMER_CERTIFICATES"],
    says: "a file of PEM certificates from elsewhere that sealed before today's: what they sealed stays this service's to `/verify`",
  },
  {
    names: ["TSA_ROOTS"],
    says: "a file of PEM certificates of timestamp authorities whose time `/verify` trusts; without it a timestamp is named, and proves nothing there; what came after a seal is then validation data of others",
  },
  {
    names: ["TSA_URL"],
    says: "an RFC 3161 timestamp server: seals reach B-LTA instead of B-B. Several, by commas: the next is asked where one fails or was revoked",
  },
  {
    names: ["RENEW_TIMESTAMPS"],
    says: "beside `TSA_URL`: what a seal lacks because nobody answered is made up later, and its timestamp is followed by another before its certificate ends, so that it stays provable; what counts is what was set when it was sealed ([how](#timestamps))",
  },
  {
    names: ["SOFFICE", "DOCX_PROCESSES"],
    byDefault: "found on the path; 3, as WASM 1",
    says: "LibreOffice, for bulk calls, and how many of it at once (0.2 GB each, started when needed; one account has all but one of them at most); with `bwrap` installed it is confined to its own folder; without one the optional npm package does it, as WASM (up to 2.4 GB each); one that is named has to be there",
  },
  {
    names: ["HELPERS_LAUNCHER"],
    byDefault: "helpers run as the service does",
    says: "a copy of util-linux's `setpriv` that belongs to another user and has its set-user-ID and set-group-ID bits: the helper processes that read what others send run as that user, who can't read what the service can ([how](security.md#helpers-as-another-user))",
  },
  {
    names: ["ALLOW_PRIVATE_URLS"],
    says: "whether webhooks and document URLs may reach private addresses",
  },
  {
    names: ["RATE_LIMIT_PER_MINUTE", "RATE_LIMIT_PER_LINK", "RATE_LIMIT_PER_ADDRESS"],
    says: "requests a minute of one API key, of one signing link, and of one address without either (see below); `off` for as many as they like",
  },
  {
    names: ["IDENTITY_PROVIDER_URL", "IDENTITY_PROVIDER_KEY", "IDENTITY_PROVIDER_NAME"],
    byDefault: "a simulation",
    says: "who validates signers' photos: a service that speaks [this protocol](identity-provider.md), the bearer key for it, and its name in legal reports (the URL's host)",
  },
  {
    names: ["MESSAGING"],
    byDefault: "`simulator`, with a loopback `PUBLIC_URL`",
    says: "how signers are reached: `simulator`, `whatsapp`, `sms` or `email`, or several in the order in which they are tried (`whatsapp,sms,email`): the next when one fails for good, or has no address",
  },
  {
    names: ["SMS_PROVIDER_URL", "SMS_PROVIDER_KEY"],
    says: "with `sms`: an adapter to a vendor of text messages that speaks [this protocol](sms-provider.md), and the key for both directions",
  },
  {
    names: ["SMTP_URL", "EMAIL_FROM"],
    says: "with `email`: the mail server, `smtps://user:password@host` (TLS) or `smtp://…` (port 587; STARTTLS is demanded, but on this machine), with user and password percent-encoded; whom messages are from, `Name <address>`. [What is tried again](#e-mail)",
  },
  {
    names: ["WHATSAPP_TOKEN", "WHATSAPP_PHONE_NUMBER_ID", "WHATSAPP_APP_SECRET", "WHATSAPP_VERIFY_TOKEN"],
    says: "with `whatsapp`: whose number signers hear from, by Meta's Cloud API; [docs/whatsapp.md](whatsapp.md) says where they come from",
  },
  {
    names: ["WHATSAPP_FORMER_APP_SECRET", "WHATSAPP_BUSINESS_ACCOUNT_ID"],
    says: "what Meta signed with before the app's secret was changed; whose templates `rubrica whatsapp templates --submit` makes",
  },
  {
    names: [
      "WHATSAPP_TEMPLATE_REQUEST",
      "WHATSAPP_TEMPLATE_REQUEST_NOTE",
      "WHATSAPP_TEMPLATE_REQUEST_UNTIL",
      "WHATSAPP_TEMPLATE_REQUEST_NOTE_UNTIL",
      "WHATSAPP_TEMPLATE_LINK",
      "WHATSAPP_TEMPLATE_LINK_UNTIL",
      "WHATSAPP_TEMPLATE_COPY",
      "WHATSAPP_TEMPLATE_CANCELED",
      "WHATSAPP_TEMPLATE_REMINDER",
      "WHATSAPP_TEMPLATE_REMINDER_UNTIL",
      "WHATSAPP_TEMPLATE_REMINDER_LINK",
      "WHATSAPP_TEMPLATE_REMINDER_LINK_UNTIL",
      "WHATSAPP_LANGUAGE",
    ],
    says: "the templates, by name or `name:language`, and the language of those that name none",
  },
  {
    names: ["WHATSAPP_BASE_URL", "WHATSAPP_GRAPH_VERSION"],
    says: "where the Graph API is, and which version of it",
  },
  {
    names: ["SIGNED_COPIES"],
    says: "whether each signer who was reached by message gets one more once the document is sealed, with a link to the signed copy; what counts is what was set when it was sealed",
  },
  {
    names: ["SIMULATOR_KEY"],
    byDefault: "made of `SECRET`",
    says: "what the phone simulator asks for, in the header `x-simulator-key`; the keys by which service and simulators know each other are made of it",
  },
  {
    names: ["SIMULATOR_URL"],
    byDefault: "the service itself",
    says: "where the simulators of phones and identity are, when they run in a process of their own (`node scripts/run.mjs scripts/start.ts simulator`), and speak [this protocol](messaging-simulator.md)",
  },
  {
    names: ["SERVICE_URL"],
    says: "for simulators in a process of their own: where the service is",
  },
  {
    names: ["TRUST_PROXY"],
    says: "how many proxies stand in front (`1`), or their addresses and networks (`10.0.0.0/8,192.0.2.7`): the client's address is what they saw and wrote to the right end of `X-Forwarded-For`; what is no IP address is recorded as none. With a count, let nobody reach the port but through the proxies",
  },
  {
    names: ["LOG_LEVEL"],
    says: "logs are JSON, pretty on a terminal; they hold no personal data and no addresses with tokens",
  },
  {
    names: ["RETENTION_DAYS"],
    byDefault: "kept until asked",
    says: "days after its end at which a document is erased by itself; a campaign may say otherwise (`--retention-days`). What counts is what was set when the document was requested",
  },
  {
    names: ["MAX_DOCUMENT_MB", "MAX_SIGNERS", "MAX_PHOTO_MB", "MAX_CUSTOM_PARAMETERS_KB", "MAX_BULK_ROWS"],
    says: "limits",
  },
];
