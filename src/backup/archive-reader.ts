import { createReadStream } from 'node:fs';
import { ReadableStream } from 'node:stream/web';
import { createTarDecoder } from 'modern-tar';
import type { z } from 'zod';
import {
  ArchiveChecksum,
  END_ENTRY,
  endSchema,
  FORMAT,
  MANIFEST_ENTRY,
  type Manifest,
  manifestSchema,
} from './archive-format.ts';

/** Bytes of an entry that is read as a whole: a part of a table, one row of which may be large. */
const TEXT_BYTES_MAX = 256 * 1024 * 1024;

export interface ArchiveEntry {
  readonly name: string;
  readonly size: number;
  /** To be read to its end before the next entry. */
  readonly content: AsyncIterable<Uint8Array>;
}

/** The entries in their order. Memory holds a MiB of one. Rejects if the file is no tar archive, or ends within it. */
export async function* readArchive(path: string): AsyncIterable<ArchiveEntry> {
  const { readable, writable } = createTarDecoder({ strict: true });
  const read = ReadableStream.from(createReadStream(path)).pipeTo(writable);
  // The reader of the entries gets the same error.
  read.catch(() => {});
  for await (const { header, body } of readable) {
    yield { name: header.name, size: header.size, content: body };
  }
  await read;
}

/**
 * Reads the whole archive and compares its checksum. Returns what it holds. Writes nothing.
 *
 * @throws {Error} for a file that is damaged, incomplete or of a newer format
 */
export async function verifyArchive(path: string): Promise<Manifest> {
  try {
    return await verified(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new Error(`${path} does not exist: give the file of a backup. Nothing was restored`);
    }
    const cause = error instanceof Error ? error.message : String(error);
    throw new Error(`${path} is no complete backup: ${cause}. Nothing was restored`);
  }
}

async function verified(path: string): Promise<Manifest> {
  const checksum = new ArchiveChecksum();
  let manifest: Manifest | null = null;
  let isWhole = false;
  for await (const entry of readArchive(path)) {
    if (isWhole) throw new Error('it continues after its end');
    if (manifest === null) {
      const bytes = await bytesOf(entry);
      manifest = readManifest(entry.name, bytes);
      checksum.begin(entry.name, entry.size);
      checksum.update(bytes);
    } else if (entry.name === END_ENTRY) {
      const { sha256, entries } = parsed(endSchema, entry.name, await bytesOf(entry));
      const found = checksum.end();
      if (found.sha256 !== sha256 || found.entries !== entries) throw new Error('its checksum differs: it is damaged');
      isWhole = true;
    } else {
      checksum.begin(entry.name, entry.size);
      for await (const piece of entry.content) checksum.update(piece);
    }
  }
  if (manifest === null || !isWhole) throw new Error('its end is missing: the backup was interrupted');
  return manifest;
}

/** @throws {Error} for an entry that is too large */
export async function bytesOf({ name, size, content }: ArchiveEntry): Promise<Buffer> {
  if (size > TEXT_BYTES_MAX) throw new Error(`${name} has ${size} bytes`);
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

function readManifest(name: string, bytes: Buffer): Manifest {
  if (name !== MANIFEST_ENTRY) throw new Error('it does not begin with a manifest');
  const { format, version } = parsed(manifestSchema.pick({ format: true, version: true }), name, bytes);
  if (format > FORMAT) throw new Error(`it was made by Trunkline ${version}: restore it with that version`);
  return parsed(manifestSchema, name, bytes);
}

function parsed<T>(schema: z.ZodType<T>, name: string, bytes: Buffer): T {
  try {
    return schema.parse(JSON.parse(String(bytes)));
  } catch {
    throw new Error(`its ${name} is malformed`);
  }
}
