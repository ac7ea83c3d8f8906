import { createHash, type Hash } from 'node:crypto';
import { z } from 'zod';

/**
 * A backup is an uncompressed tar archive:
 *
 *     manifest.json               what the archive holds; first
 *     database/TABLE/000001.jsonl column names, then one row a line, as JSON arrays; `{"base64": …}` for bytes
 *     files/PATH                  a file of the data directory
 *     end.json                    the checksum of all entries before it; last. Without it the archive is incomplete.
 */
export const FORMAT = 1;

export const MANIFEST_ENTRY = 'manifest.json';
export const END_ENTRY = 'end.json';
export const DATABASE_PREFIX = 'database/';
export const FILES_PREFIX = 'files/';

export const manifestSchema = z.object({
  format: z.int(),
  /** Version of Trunkline. */
  version: z.string(),
  created: z.iso.datetime(),
  database: z.enum(['sqlite', 'postgres']),
  /** The migrations of the database, in order: the version of its schema. */
  migrations: z.array(z.string()).min(1),
  /** Recordings and tapes. */
  recordings: z.boolean(),
  /** A value sealed with the master key of the secrets in the archive; null without secrets. */
  master_key_proof: z.string().nullable(),
  /** The archive holds `files/master.key`. */
  master_key: z.boolean(),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const endSchema = z.object({ sha256: z.string(), entries: z.int() });

/** SHA-256 over the names, sizes and contents of entries. */
export class ArchiveChecksum {
  readonly #hash: Hash = createHash('sha256');
  #entries = 0;

  begin(name: string, size: number): void {
    this.#hash.update(`${JSON.stringify([name, size])}\n`);
    this.#entries += 1;
  }

  update(content: Uint8Array): void {
    this.#hash.update(content);
  }

  /** The checksum and the number of the entries so far. */
  end(): z.infer<typeof endSchema> {
    return { sha256: this.#hash.copy().digest('hex'), entries: this.#entries };
  }
}
