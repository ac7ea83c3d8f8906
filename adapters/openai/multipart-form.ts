import { randomUUID } from 'node:crypto';

interface FormFile {
  readonly name: string;
  readonly filename: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

export interface MultipartForm {
  readonly contentType: string;
  readonly body: Buffer;
}

/**
 * A complete `multipart/form-data` body (RFC 7578): one write to the socket, while undici's `FormData` streams many
 * small pieces. The names are ours. The values are untrusted, so the boundary is random.
 */
export function multipartForm(
  fields: readonly (readonly [name: string, value: string])[],
  file: FormFile,
): MultipartForm {
  const boundary = randomUUID();
  const parts = fields.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const disposition = `form-data; name="${file.name}"; filename="${file.filename}"`;
  const head = `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${file.type}\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${parts.join('')}${head}`),
    file.bytes,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  return { contentType: `multipart/form-data; boundary=${boundary}`, body };
}
