import type { RowCipher } from "@rubrica/secrets";
import { PhoneDatabase, type Row } from "./database.ts";
import type { PhoneNotice } from "./notice.ts";
import type { PhoneNames } from "./phone-names.ts";

/** The oldest messages go once there are more; a simulator is looked at, not searched. */
const MAX_MESSAGES = 50_000;

export type Answer = "continue" | "no_continue";

/** A message as it lies in the phone, or on its way to it for ever when that is unreachable. */
export interface StoredMessage {
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  kind: "template" | "link" | "copy" | "cancellation" | "refusal" | "reminder";
  delivered: boolean;
  read: boolean;
  content: MessageContent;
}

/** What of a message names a person, with what the service calls it; encrypted in the file. */
export interface MessageContent {
  /** The service's own id of the message. */
  messageId: string;
  to: string;
  signerName: string;
  businessName: string | null;
  text: string;
  link: string | null;
}

/** A button that was pressed. `heard`: the service has taken note of it. */
export interface StoredReply {
  messageId: string;
  answer: Answer;
  at: number;
  heard: boolean;
}

/** A notice that the service has not taken yet. */
export interface PendingNotice {
  number: number;
  notice: PhoneNotice;
  /** How often it was given already. */
  attempts: number;
  dueAt: number;
}

/** The simulator's memory: one SQLite file, for one process. Everything in it that names a person is encrypted. */
export class SimulatorStore {
  readonly #database: PhoneDatabase;
  readonly #cipher: RowCipher;
  readonly #phoneNames: PhoneNames;

  /** @param path a file, or ":memory:". @throws {StoreFileError} when the file can't be used. */
  constructor(path: string, cipher: RowCipher, phoneNames: PhoneNames) {
    this.#cipher = cipher;
    this.#phoneNames = phoneNames;
    this.#database = new PhoneDatabase(path);
    this.#database.atomically(() => this.#nameFormerMessages());
  }

  close(): void {
    this.#database.close();
  }

  /** Keeps a message and the notice of what became of it, in one transaction. */
  addMessage(message: Pick<StoredMessage, "id" | "at" | "kind" | "delivered" | "content">, notice: PhoneNotice): void {
    const { id, at, kind, delivered, content } = message;
    const [phone] = this.#phoneNames(content.to);
    this.#database.atomically(() => {
      const { lastInsertRowid } = this.#database.run(
        "INSERT INTO messages (id, phone, at, kind, delivered, content) VALUES (?, ?, ?, ?, ?, ?)",
        [id, phone, at, kind, Number(delivered), this.#cipher.encrypt(id, Buffer.from(JSON.stringify(content)))],
      );
      this.#addServiceId(id, content);
      this.#database.run("DELETE FROM messages WHERE number <= ?", [Number(lastInsertRowid) - MAX_MESSAGES]);
      this.#addNotice(notice);
    });
  }

  /**
   * Removes what was sent under the service's id of a message, with all that hangs on it, for good.
   * @throws {Error} when it is to be done again
   */
  removeMessages(serviceId: string): void {
    this.#database.run("DELETE FROM messages WHERE id IN (SELECT message_id FROM service_ids WHERE service_id = ?)", [
      serviceId,
    ]);
    this.#database.wipeDeleted();
  }

  findMessage(id: string): StoredMessage | undefined {
    const [row] = this.#database.all("SELECT * FROM messages WHERE id = ?", [id]);
    return row && this.#messageOf(row);
  }

  /** The newest messages that were delivered, in the order in which they were sent; to one phone, or to all. */
  deliveredMessages({ phone, limit }: { phone: string | undefined; limit: number }): StoredMessage[] {
    const names = phone === undefined ? [] : this.#phoneNames(phone);
    const where = phone === undefined ? "" : `AND phone IN (${names.map(() => "?").join()})`;
    const rows = this.#database.all(
      `SELECT * FROM messages WHERE delivered = 1 ${where} ORDER BY number DESC LIMIT ?`,
      [...names, limit],
    );
    return rows.reverse().map((row) => this.#messageOf(row));
  }

  /** The newest message to each phone, delivered or not, the newest phone first. */
  newestOfEachPhone(limit: number): StoredMessage[] {
    return this.#database
      .all(
        `SELECT * FROM messages WHERE number IN (SELECT max(number) FROM messages GROUP BY phone)
       ORDER BY number DESC LIMIT ?`,
        [limit],
      )
      .map((row) => this.#messageOf(row));
  }

  /** How many messages a phone never got, and how many it got and has not read. */
  counts(phone: string): { undelivered: number; unread: number } {
    const names = this.#phoneNames(phone);
    const [row] = this.#database.all(
      `SELECT count(*) FILTER (WHERE delivered = 0) AS undelivered,
              count(*) FILTER (WHERE delivered = 1 AND read = 0) AS unread
       FROM messages WHERE phone IN (${names.map(() => "?").join()})`,
      names,
    );
    return { undelivered: Number(row?.undelivered), unread: Number(row?.unread) };
  }

  /** Keeps the last press of each button, with its notice. Pressing the last button once more changes nothing. */
  addReply(messageId: string, answer: Answer, at: number, notice: PhoneNotice): void {
    this.#database.atomically(() => {
      const [last] = this.#database.all("SELECT answer FROM replies WHERE message_id = ? ORDER BY rowid DESC LIMIT 1", [
        messageId,
      ]);
      if (last?.answer === answer) return;
      this.#database.run("INSERT OR REPLACE INTO replies (message_id, answer, at) VALUES (?, ?, ?)", [
        messageId,
        answer,
        at,
      ]);
      this.#addNotice(notice);
    });
  }

  /** The buttons that were pressed on a message, in the order of pressing. */
  repliesTo(messageId: string): StoredReply[] {
    return this.#database
      .all(
        `SELECT *, NOT EXISTS (SELECT 1 FROM notices WHERE notices.message_id = replies.message_id
         AND notice ->> 'kind' = 'answered' AND notice ->> 'answer' = replies.answer) AS heard
       FROM replies WHERE message_id = ? ORDER BY rowid`,
        [messageId],
      )
      .map((row) => ({ messageId, answer: row.answer as Answer, at: Number(row.at), heard: row.heard === 1 }));
  }

  /** Marks what a phone has got as read; `noticeOf` makes the notice of each message that was not before. */
  markRead(phone: string, noticeOf: (message: StoredMessage) => PhoneNotice): void {
    const names = this.#phoneNames(phone);
    this.#database.atomically(() => {
      const read = this.#database.all(
        `UPDATE messages SET read = 1 WHERE delivered = 1 AND read = 0 AND phone IN (${names.map(() => "?").join()})
         RETURNING *`,
        names,
      );
      for (const row of read) this.#addNotice(noticeOf(this.#messageOf(row)));
    });
  }

  setReachable(phone: string, reachable: boolean): void {
    const names = this.#phoneNames(phone);
    if (reachable)
      for (const name of names) this.#database.run("DELETE FROM unreachable_phones WHERE phone = ?", [name]);
    else this.#database.run("INSERT OR IGNORE INTO unreachable_phones (phone) VALUES (?)", [names[0]]);
  }

  isReachable(phone: string): boolean {
    const names = this.#phoneNames(phone);
    const places = names.map(() => "?").join();
    return this.#database.all(`SELECT 1 FROM unreachable_phones WHERE phone IN (${places})`, names).length === 0;
  }

  /** The notices that wait longest, whether they are due or not. */
  nextNotices(limit: number): PendingNotice[] {
    return this.#database.all("SELECT * FROM notices ORDER BY due_at, number LIMIT ?", [limit]).map((row) => ({
      number: Number(row.number),
      notice: JSON.parse(String(row.notice)),
      attempts: Number(row.attempts),
      dueAt: Number(row.due_at),
    }));
  }

  removeNotice(number: number): void {
    this.#database.run("DELETE FROM notices WHERE number = ?", [number]);
  }

  postponeNotice(number: number, dueAt: number): void {
    this.#database.run("UPDATE notices SET attempts = attempts + 1, due_at = ? WHERE number = ?", [dueAt, number]);
  }

  #addNotice(notice: PhoneNotice): void {
    this.#database.run("INSERT INTO notices (message_id, notice, due_at) VALUES (?, ?, ?)", [
      notice.providerMessageId,
      JSON.stringify(notice),
      notice.at,
    ]);
  }

  #addServiceId(id: string, { messageId }: MessageContent): void {
    this.#database.run("INSERT INTO service_ids (message_id, service_id) VALUES (?, ?)", [id, messageId]);
  }

  /** In files of former versions, what the service calls a message is only in its encrypted content. */
  #nameFormerMessages(): void {
    const unnamed = this.#database.all(
      "SELECT id FROM messages WHERE id NOT IN (SELECT message_id FROM service_ids)",
      [],
    );
    for (const { id } of unnamed) {
      const content = this.#contentThatOpens(String(id));
      if (content) this.#addServiceId(String(id), content);
    }
  }

  /** Undefined where no key that is set decrypts it: it stays as it is. */
  #contentThatOpens(id: string): MessageContent | undefined {
    try {
      return this.findMessage(id)?.content;
    } catch {
      return undefined;
    }
  }

  #messageOf(row: Row): StoredMessage {
    const id = String(row.id);
    return {
      id,
      at: Number(row.at),
      kind: row.kind as StoredMessage["kind"],
      delivered: row.delivered === 1,
      read: row.read === 1,
      content: JSON.parse(this.#cipher.decrypt(id, row.content as Uint8Array).toString("utf8")) as MessageContent,
    };
  }
}
