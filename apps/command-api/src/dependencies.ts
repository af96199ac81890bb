import type { Handlers } from "@rubrica/commands";
import type { DocxConverter, DocxTemplates } from "@rubrica/docx";
import type { AccountDirectory } from "@rubrica/http";
import type { Images } from "@rubrica/images";
import type { WebhookReader } from "@rubrica/messaging/whatsapp";
import type { FileFetcher, Outbound } from "@rubrica/outbound";
import type { PdfEngine } from "@rubrica/pdf";
import type { Runtime } from "@rubrica/runtime";
import type { Secrets, SigningTokens } from "@rubrica/secrets";
import type { FileStore, KeyStore } from "@rubrica/storage";

export interface CommandApiLimits {
  /** Decoded. */
  documentBytes: number;
  signers: number;
  customParametersBytes: number;
  photoBytes: number;
  /** Signers of one bulk call. */
  bulkRows: number;
}

/** What Meta shows, and how what it tells is read. */
export interface WhatsAppWebhook extends WebhookReader {
  appSecrets: readonly string[];
  verifyToken: string;
}

/** The key that an adapter for text messages shows, and how its messages' ids are kept. */
export interface SmsNotices {
  key: string;
  idOf(providerMessageId: string): string;
}

/** What the command API works with; made at the composition root. */
export interface CommandApiDependencies {
  handlers: Handlers;
  files: FileStore;
  keys: KeyStore;
  pdf: PdfEngine;
  images: Pick<Images, "drawing" | "photo">;
  docx: {
    templates: DocxTemplates;
    /** Undefined where no office program can be run. */
    converter: DocxConverter | undefined;
  };
  /** For documents that are given as a URL. */
  fetcher: FileFetcher;
  /** For webhooks that are tried out. */
  outbound: Outbound;
  /** Whether webhooks may go to private addresses. */
  allowPrivateUrls: boolean;
  directory: AccountDirectory;
  secrets: Secrets;
  tokens: SigningTokens;
  runtime: Runtime;
  limits: CommandApiLimits;
  /** Shown by the messaging provider that tells notices. */
  noticesKey: string;
  /** Undefined where signers are not reached by text messages. */
  sms: SmsNotices | undefined;
  /** What Meta's webhook calls are read with; undefined where signers are not reached by WhatsApp. */
  whatsapp: WhatsAppWebhook | undefined;
  /** Days after which ended documents are erased, unless their campaign says otherwise; null: they are kept. */
  retentionDays: number | null;
  /** Where the outside reaches the service, without a trailing slash. */
  publicUrl: string;
}
