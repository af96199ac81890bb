import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { ConfigError, configFrom, requireEmail, requireSms, requireWhatsApp } from "../src/index.ts";

/** What a service needs that others reach. */
const open = { MESSAGING: "simulator" };
/** What WhatsApp needs. */
const whatsapp = {
  MESSAGING: "whatsapp",
  WHATSAPP_TOKEN: "token-of-the-system-user",
  WHATSAPP_PHONE_NUMBER_ID: "106540352242922",
  WHATSAPP_APP_SECRET: "0123456789abcdef0123456789abcdef",
  WHATSAPP_VERIFY_TOKEN: "shown-when-subscribing",
};

describe("the configuration", () => {
  test("has a default for everything", () => {
    expect(configFrom({})).toEqual({
      host: "127.0.0.1",
      port: 3000,
      publicUrl: undefined,
      dataDir: resolve("./data"),
      secret: undefined,
      formerSecrets: [],
      local: true,
      demoApiKey: undefined,
      simulatorKey: undefined,
      simulatorUrl: undefined,
      serviceUrl: "http://127.0.0.1:3000",
      messaging: ["simulator"],
      sms: undefined,
      signedCopies: true,
      email: undefined,
      whatsapp: undefined,
      trustProxy: false,
      allowPrivateUrls: false,
      rates: { perKey: 600, perLink: 120, perAddress: 120 },
      logLevel: "info",
      tsaUrls: [],
      renewTimestamps: false,
      signingCertificate: undefined,
      formerCertificates: undefined,
      timestampRoots: undefined,
      retentionDays: null,
      limits: {
        documentBytes: 20_971_520,
        signers: 50,
        photoBytes: 10_485_760,
        customParametersBytes: 65_536,
        bulkRows: 1_000,
      },
      soffice: undefined,
      docxProcesses: undefined,
    });
  });

  test("serves metrics where a port is given alone, to the machine itself", () => {
    expect(configFrom({}).metrics).toBeUndefined();
    expect(configFrom({ METRICS_PORT: "9464" }).metrics).toEqual({ host: "127.0.0.1", port: 9464 });
    expect(configFrom({ METRICS_PORT: "9464", METRICS_HOST: "::" }).metrics).toEqual({ host: "::", port: 9464 });
  });

  test("takes an empty variable as unset", () => {
    expect(configFrom({ PORT: "", SECRET: "" }).port).toBe(3000);
  });

  test("drops the public URL's trailing slash", () => {
    expect(configFrom({ ...open, PUBLIC_URL: "https://sign.example.com/" }).publicUrl).toBe("https://sign.example.com");
  });

  test.each([
    ["http://localhost:3000", true],
    ["http://127.8.0.1", true],
    ["http://[::1]:3000/", true],
    ["http://0x7f.1/", true],
    ["https://sign.example.com", false],
    ["https://localhost.example.com", false],
    ["http://192.168.1.4:3000", false],
    ["http://0.0.0.0:3000", false],
    ["http://127.0.0.1.example.com", false],
  ])("is local by its public URL alone: %s", (PUBLIC_URL, local) => {
    expect(configFrom({ ...open, PUBLIC_URL }).local).toBe(local);
  });

  test("has neither a demo account nor the simulator by default where others reach it, and says so", () => {
    const publicly = { PUBLIC_URL: "https://sign.example.com" };
    expect(() => configFrom(publicly)).toThrow(
      new ConfigError(
        "The variable MESSAGING is missing: at https://sign.example.com signers are not reached by the simulator unless MESSAGING=simulator says so.",
      ),
    );
    expect(() => configFrom({ ...open, ...publicly, DEMO_API_KEY: "k".repeat(16) })).toThrow(
      /^The variable DEMO_API_KEY can't be used: at https:\/\/sign\.example\.com there is no demo account; .+\.$/,
    );
    expect(configFrom({ DEMO_API_KEY: "k".repeat(16) }).demoApiKey).toBe("k".repeat(16));
  });

  test("takes the limits of what callers may do", () => {
    expect(configFrom({ ALLOW_PRIVATE_URLS: "true" }).allowPrivateUrls).toBe(true);
    const rates = { RATE_LIMIT_PER_MINUTE: "50", RATE_LIMIT_PER_LINK: "0", RATE_LIMIT_PER_ADDRESS: "off" };
    expect(configFrom(rates).rates).toEqual({ perKey: 50, perLink: undefined, perAddress: undefined });
  });

  test.each([
    ["false", false],
    ["0", false],
    ["1", 1],
    ["3", 3],
    ["10.0.0.7", ["10.0.0.7"]],
    ["10.0.0.0/8, 2001:db8::/32,::1", ["10.0.0.0/8", "2001:db8::/32", "::1"]],
  ])("takes %s for which proxies are believed", (text, proxies) => {
    expect(configFrom({ TRUST_PROXY: text }).trustProxy).toEqual(proxies);
  });

  test("takes no proxy's word for as many as there may be, and says what to give instead", () => {
    expect(() => configFrom({ TRUST_PROXY: "true" })).toThrow(
      new ConfigError(
        "The variable TRUST_PROXY can't be used: it must be the count of proxies in front of the service (usually 1), or a list of their addresses.",
      ),
    );
  });

  test("takes the office program and how many of it run at once", () => {
    const { soffice, docxProcesses } = configFrom({ SOFFICE: "/opt/office/soffice", DOCX_PROCESSES: "4" });
    expect([soffice, docxProcesses]).toEqual(["/opt/office/soffice", 4]);
  });

  test("renews timestamps where that is asked for, of the servers that give them", () => {
    const environment = { RENEW_TIMESTAMPS: "true", TSA_URL: "https://tsa.example" };
    expect(configFrom(environment).renewTimestamps).toBe(true);
    expect(() => configFrom({ RENEW_TIMESTAMPS: "true" })).toThrow("TSA_URL is missing: RENEW_TIMESTAMPS is set");
  });

  test("takes a timestamp server's address as it is, and where the signing certificate is", () => {
    const environment = {
      TSA_URL: "https://tsa.example/rfc3161/, http://other.example",
      SIGNING_CERTIFICATE_P12: "seal.p12",
    };
    expect(configFrom(environment)).toMatchObject({
      tsaUrls: ["https://tsa.example/rfc3161/", "http://other.example"],
      signingCertificate: { p12Path: resolve("seal.p12"), passphrase: "" },
    });
    expect(
      configFrom({ ...environment, SIGNING_CERTIFICATE_PASSPHRASE: "open sesame" }).signingCertificate?.passphrase,
    ).toBe("open sesame");
  });

  test("takes who validates photos, with the key for it", () => {
    const environment = { IDENTITY_PROVIDER_URL: "https://identity.example/v1/", IDENTITY_PROVIDER_KEY: "a key" };
    expect(configFrom(environment).identityProvider).toEqual({
      url: "https://identity.example/v1",
      key: "a key",
      name: "identity.example",
    });
    const named = configFrom({ ...environment, IDENTITY_PROVIDER_NAME: "Acme Identity" });
    expect(named.identityProvider?.name).toBe("Acme Identity");
    expect(configFrom({}).identityProvider).toBeUndefined();
    expect(() => configFrom({ ...environment, IDENTITY_PROVIDER_KEY: "" })).toThrow(
      new ConfigError("The variable IDENTITY_PROVIDER_KEY is missing: IDENTITY_PROVIDER_URL is set."),
    );
  });

  test("takes engines by their URLs, as they are; none is embedded", () => {
    const environment = {
      EVENTSTORE_URL: "esdb+discover://admin:changeit@node1:2113,node2:2113?tls=true",
      MONGODB_URL: "mongodb+srv://rubrica:a%20word@cluster.example/rubrica",
      NATS_URL: "tls://token@nats.example:4222",
    };
    expect(configFrom(environment)).toMatchObject({
      eventStoreUrl: environment.EVENTSTORE_URL,
      mongodbUrl: environment.MONGODB_URL,
      natsUrl: environment.NATS_URL,
    });
    const plain = { EVENTSTORE_URL: "esdb://h", MONGODB_URL: "mongodb://h", NATS_URL: "nats://h" };
    expect(configFrom(plain)).toMatchObject({
      eventStoreUrl: "esdb://h",
      mongodbUrl: "mongodb://h",
      natsUrl: "nats://h",
    });
    expect(configFrom({})).toMatchObject({ eventStoreUrl: undefined, mongodbUrl: undefined, natsUrl: undefined });
    expect(configFrom({ NATS_REPLICAS: "5" }).natsReplicas).toBe(5);
    expect(configFrom({}).natsReplicas).toBeUndefined();
    expect(() => configFrom({ NATS_REPLICAS: "6" })).toThrow(/^The variable NATS_REPLICAS can't be used/);
  });

  test("takes WhatsApp's variables where MESSAGING says so, with names for the templates in one language", () => {
    expect(configFrom(whatsapp).whatsapp).toEqual({
      baseUrl: "https://graph.facebook.com",
      graphVersion: "v26.0",
      token: whatsapp.WHATSAPP_TOKEN,
      phoneNumberId: "106540352242922",
      businessAccountId: undefined,
      appSecrets: [whatsapp.WHATSAPP_APP_SECRET],
      verifyToken: whatsapp.WHATSAPP_VERIFY_TOKEN,
      templates: {
        request: { name: "rubrica_request", language: "es" },
        requestNote: { name: "rubrica_request_note", language: "es" },
        requestUntil: { name: "rubrica_request_until", language: "es" },
        requestNoteUntil: { name: "rubrica_request_note_until", language: "es" },
        link: { name: "rubrica_link", language: "es" },
        linkUntil: { name: "rubrica_link_until", language: "es" },
        copy: { name: "rubrica_copy", language: "es" },
        canceled: { name: "rubrica_canceled", language: "es" },
        reminder: { name: "rubrica_reminder", language: "es" },
        reminderUntil: { name: "rubrica_reminder_until", language: "es" },
        reminderLink: { name: "rubrica_reminder_link", language: "es" },
        reminderLinkUntil: { name: "rubrica_reminder_link_until", language: "es" },
      },
    });
    expect(configFrom({ ...whatsapp, MESSAGING: "simulator" }).whatsapp).toBeUndefined();
    const chosen = {
      WHATSAPP_BASE_URL: "http://127.0.0.1:4000/",
      WHATSAPP_GRAPH_VERSION: "v27.0",
      WHATSAPP_FORMER_APP_SECRET: "f".repeat(32),
      WHATSAPP_LANGUAGE: "es_MX",
      WHATSAPP_TEMPLATE_LINK: "our_link:es_AR",
    };
    expect(configFrom({ ...whatsapp, ...chosen }).whatsapp).toMatchObject({
      baseUrl: "http://127.0.0.1:4000",
      graphVersion: "v27.0",
      appSecrets: [whatsapp.WHATSAPP_APP_SECRET, "f".repeat(32)],
      templates: { request: { language: "es_MX" }, link: { name: "our_link", language: "es_AR" } },
    });
  });

  test.each(Object.keys(whatsapp).filter((name) => name !== "MESSAGING"))("names %s, where it is missing", (name) => {
    expect(() => configFrom({ ...whatsapp, [name]: "" })).toThrow(
      new ConfigError(`The variable ${name} is missing: MESSAGING names whatsapp.`),
    );
  });

  test("demands WhatsApp's variables of those alone who have to do with it", () => {
    const other = configFrom({ MESSAGING: "whatsapp" });
    expect(other).toMatchObject({ messaging: ["whatsapp"], whatsapp: undefined });
    expect(() => requireWhatsApp(other)).toThrow(
      new ConfigError("The variable WHATSAPP_TOKEN is missing: MESSAGING names whatsapp."),
    );
    expect(requireWhatsApp(configFrom({}))).toBeUndefined();
    expect(requireWhatsApp(configFrom(whatsapp))?.phoneNumberId).toBe(whatsapp.WHATSAPP_PHONE_NUMBER_ID);
  });

  test("takes by what signers are reached, in its order, with what each needs", () => {
    const environment = {
      ...whatsapp,
      MESSAGING: "whatsapp, sms,email",
      SMS_PROVIDER_URL: "https://sms.internal.example/v1/",
      SMS_PROVIDER_KEY: "a-long-random-word",
      SMTP_URL: "smtps://firma%40rubrica.example:p%3Ass@mail.example",
      EMAIL_FROM: "Firma electrónica <firma@rubrica.example>",
    };
    const config = configFrom(environment);
    expect(config).toMatchObject({
      messaging: ["whatsapp", "sms", "email"],
      sms: { url: "https://sms.internal.example/v1", key: "a-long-random-word" },
      email: {
        server: {
          host: "mail.example",
          port: 465,
          tls: "implicit",
          user: { name: "firma@rubrica.example", password: "p:ss" },
        },
        from: { name: "Firma electrónica", address: "firma@rubrica.example" },
      },
    });
    expect([requireSms(config), requireEmail(config)]).toEqual([config.sms, config.email]);
    const serverOf = (SMTP_URL: string) => configFrom({ ...environment, SMTP_URL }).email?.server;
    expect(serverOf("smtp://mail.example")).toMatchObject({ port: 587, tls: "starttls", user: undefined });
    expect(serverOf("smtp://127.0.0.1:25")).toMatchObject({ host: "127.0.0.1", port: 25, tls: "none" });
    expect(configFrom({ ...environment, MESSAGING: "sms" })).toMatchObject({ whatsapp: undefined, email: undefined });
  });

  test.each([
    ["sms", "SMS_PROVIDER_URL", { SMS_PROVIDER_KEY: "a-long-random-word" }],
    ["sms", "SMS_PROVIDER_KEY", { SMS_PROVIDER_URL: "https://sms.example" }],
    ["email", "SMTP_URL", { EMAIL_FROM: "firma@rubrica.example" }],
    ["email", "EMAIL_FROM", { SMTP_URL: "smtps://mail.example" }],
  ])("with MESSAGING=%s, names %s where it is missing", (MESSAGING, name, others) => {
    const missing = new ConfigError(`The variable ${name} is missing: MESSAGING names ${MESSAGING}.`);
    expect(() => configFrom({ MESSAGING, ...others })).toThrow(missing);
    const bare = configFrom({ MESSAGING });
    expect(() => [requireSms(bare), requireEmail(bare)]).toThrow(ConfigError);
  });

  test("keeps former secrets in their order", () => {
    const secrets = ["a".repeat(32), "b".repeat(40)];
    expect(configFrom({ FORMER_SECRETS: secrets.join(",") }).formerSecrets.map(String)).toEqual(secrets);
  });

  test.each([
    ["PORT", "http"],
    ["PORT", "70000"],
    ["METRICS_PORT", "0"],
    ["PUBLIC_URL", "sign.example.com"],
    ["PUBLIC_URL", "ftp://sign.example.com"],
    ["SECRET", "short-value"],
    ["FORMER_SECRETS", "short-value"],
    ["TRUST_PROXY", "perhaps"],
    ["TRUST_PROXY", "99"],
    ["TRUST_PROXY", "-1"],
    ["TRUST_PROXY", "1.5"],
    ["TRUST_PROXY", "10.0.0.0/33"],
    ["TRUST_PROXY", "10.0.0.0/8/8"],
    ["TRUST_PROXY", "fe80::1%eth0"],
    ["TRUST_PROXY", "10.0.0.1,"],
    ["TRUST_PROXY", "proxy.example.com"],
    ["TSA_URL", "tsa.example"],
    ["TSA_URL", "https://tsa.example,tsa.example"],
    ["TSA_URL", Array.from({ length: 11 }, () => "https://tsa.example").join(",")],
    ["EVENTSTORE_URL", "http://admin:changeit@node1:2113"],
    ["EVENTSTORE_URL", "esdb:///path"],
    ["MONGODB_URL", "mongo://rubrica:word@h"],
    ["NATS_URL", "ws://token@h"],
    ["NATS_URL", "token@nats.example:4222"],
    ["MESSAGING", "pigeons"],
    ["MESSAGING", "email,,sms"],
    ["SIGNED_COPIES", "perhaps"],
    ["RENEW_TIMESTAMPS", "yearly"],
    ["MESSAGING", "sms,sms"],
    ["MESSAGING", "simulator,whatsapp"],
    ["SMS_PROVIDER_URL", "sms.internal"],
    ["SMS_PROVIDER_KEY", "short-value"],
    ["SMTP_URL", "smtp://user:sesame@"],
    ["SMTP_URL", "https://user:sesame@mail.example"],
    ["SMTP_URL", "smtps://user@mail.example"],
    ["SMTP_URL", "smtps://user:sesame@mail.example/path"],
    ["SMTP_URL", "smtps://user:%zz@mail.example"],
    ["EMAIL_FROM", "firma"],
    ["EMAIL_FROM", "Firma <firma@rubrica.example>, <eve@example.com>"],
    ["EMAIL_FROM", "Firma\r\nBcc: eve <firma@rubrica.example>"],
    ["WHATSAPP_TOKEN", "short-value"],
    ["WHATSAPP_PHONE_NUMBER_ID", "+54 11"],
    ["WHATSAPP_BASE_URL", "graph.facebook.com"],
    ["WHATSAPP_GRAPH_VERSION", "latest"],
    ["WHATSAPP_LANGUAGE", "spanish"],
    ["WHATSAPP_TEMPLATE_REQUEST", "Our Request"],
    ["SIMULATOR_KEY", "short-value"],
    ["SIMULATOR_KEY", "not printable ASCII: ñ"],
    ["DEMO_API_KEY", "short-value"],
    ["MAX_SIGNERS", "0"],
    ["ALLOW_PRIVATE_URLS", "some"],
    ["RATE_LIMIT_PER_MINUTE", "-1"],
    ["RATE_LIMIT_PER_LINK", "2000000"],
    ["RATE_LIMIT_PER_ADDRESS", "1.5"],
    ["RATE_LIMIT_PER_MINUTE", "many"],
  ])("names %s when it can't be used, never its value", (name, value) => {
    const attempt = () => configFrom({ [name]: value });
    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(new RegExp(`^The variable ${name} can't be used: .+\\.$`));
    expect(attempt).not.toThrow(value);
  });
});
