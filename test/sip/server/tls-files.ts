import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A private certificate authority and its certificates, as PEM files in one folder. */
export class TlsFiles {
  readonly folder: string;
  readonly authorityPath: string;

  static get available(): boolean {
    try {
      execFileSync('openssl', ['version'], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }

  /** @param folder may contain an authority already, as `ca.pem` and `ca.key`. */
  constructor(folder = mkdtempSync(join(tmpdir(), 'trunkline-tls-'))) {
    this.folder = folder;
    this.authorityPath = join(folder, 'ca.pem');
    if (existsSync(this.authorityPath)) return;
    mkdirSync(folder, { recursive: true });
    this.#openssl('req', '-x509', '-subj', '/CN=Test authority', ...this.#keys('ca'), '-out', 'ca.pem');
  }

  /** Writes a certificate for these names and addresses (`DNS:x`, `IP:x`). Replaces the files of that name. */
  certificate(file: string, names: readonly string[]): { readonly certificatePath: string; readonly keyPath: string } {
    const extension = `subjectAltName=${names.join(',')}`;
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', extension];
    this.#openssl('req', '-x509', '-subj', `/CN=${file}`, ...this.#keys(file), ...signed, '-out', `${file}.pem`);
    return { certificatePath: join(this.folder, `${file}.pem`), keyPath: join(this.folder, `${file}.key`) };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  #keys(file: string): string[] {
    return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-keyout', `${file}.key`];
  }

  #openssl(...parameters: string[]): void {
    execFileSync('openssl', parameters, { cwd: this.folder, stdio: 'ignore' });
  }
}
