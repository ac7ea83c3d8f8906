import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConsoleFiles } from '../../../../src/api/console/console-files.ts';
import { sendError } from '../../../../src/api/errors/error-response.ts';
import { consoleRoutes } from '../../../../src/api/routes/console.ts';
import { OTHER_KEY, OTHER_ORGANIZATION_ID, READ_KEY, testApi } from '../test-api.ts';

const PAGE =
  '<meta content="TRUNKLINE_NONCE"><meta content="TRUNKLINE_REFERENCE"><script type="module" src="./assets/index-1.js"></script>';
const SCRIPT = 'console.log(1);';

describe('the console', () => {
  let folder: string;
  let app: FastifyInstance;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trunkline-console-'));
    await mkdir(join(folder, 'assets'));
    await writeFile(join(folder, 'index.html'), PAGE);
    await writeFile(join(folder, 'secret.txt'), 'not served');
    await writeFile(join(folder, 'assets/index-1.js'), SCRIPT);
    await writeFile(join(folder, 'assets/index-1.js.gz'), gzipSync(SCRIPT));
    app = Fastify();
    app.setErrorHandler(sendError);
    consoleRoutes(app, true, readConsoleFiles(pathToFileURL(`${folder}/`)));
  });
  afterAll(async () => {
    await app?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('redirects to its folder with a relative target, so it works below the path of a proxy', async () => {
    const { statusCode, headers } = await app.inject('/console');
    expect([statusCode, headers.location]).toEqual([308, 'console/']);
  });

  it('is where a browser that asks for the root is led; other clients learn where the endpoints are listed', async () => {
    const browser = await app.inject({ url: '/', headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    expect([browser.statusCode, browser.headers.location]).toEqual([302, 'console/']);
    const client = await app.inject({ url: '/', headers: { accept: '*/*' } });
    expect([client.statusCode, client.json().error.message]).toEqual([404, expect.stringContaining('/docs')]);
    expect([browser.headers.vary, client.headers.vary]).toEqual(['accept', 'accept']);
  });

  it('allows no script but its own files, no frame, and styles only with the nonce of this response', async () => {
    const first = await app.inject('/console/');
    const second = await app.inject('/console/');
    const [, nonce] = /content="([^"]+)"/.exec(first.body) ?? [];
    expect(nonce).toMatch(/^[\w+/]{22}==$/);
    expect(second.body).not.toContain(nonce);
    expect(first.headers).toMatchObject({
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining(`script-src 'self'; style-src 'self' 'nonce-${nonce}';`),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(first.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });

  it('leads from /call to itself with a relative target', async () => {
    const { statusCode, headers } = await app.inject('/call');
    expect([statusCode, headers.location]).toEqual([308, 'console/call']);
    expect((await app.inject('/console/call')).statusCode).toBe(200);
  });

  it('allows a WebSocket to the host of the request, and none if that host is malformed', async () => {
    const policyOf = async (host: string) =>
      (await app.inject({ url: '/console/', headers: { host } })).headers['content-security-policy'];
    expect(await policyOf('calls.example.com:8443')).toContain(
      "connect-src 'self' ws://calls.example.com:8443 wss://calls.example.com:8443;",
    );
    expect(await policyOf("a; script-src 'unsafe-inline'")).toContain("connect-src 'self'; base-uri");
  });

  it('lets browsers keep assets for ever, and compresses them for those that can', async () => {
    const plain = await app.inject('/console/assets/index-1.js');
    expect(plain.body).toBe(SCRIPT);
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
    });
    const headers = { 'accept-encoding': 'gzip, deflate' };
    const compressed = await app.inject({ url: '/console/assets/index-1.js', headers });
    expect(compressed.headers['content-encoding']).toBe('gzip');
    expect(compressed.rawPayload).toEqual(gzipSync(SCRIPT));
  });

  it.each(['../secret.txt', '..%2fsecret.txt', '%2e%2e%2fsecret.txt', '..%5csecret.txt', 'index-1.js.gz', 'toString'])(
    'serves no file but its assets: %s',
    async (name) => {
      expect((await app.inject(`/console/assets/${name}`)).statusCode).toBe(404);
    },
  );

  it('says how to build it where it is not built', async () => {
    const bare = Fastify();
    bare.setErrorHandler(sendError);
    consoleRoutes(bare, true, readConsoleFiles(pathToFileURL(`${folder}/none/`)));
    expect((await bare.inject('/console/')).body).toContain('npm run build --workspace console');
    await bare.close();
  });

  it('says in the page whether the service serves the API reference', async () => {
    expect((await app.inject('/console/')).body).toContain('<meta content="true">');
    const closed = Fastify();
    consoleRoutes(closed, false, readConsoleFiles(pathToFileURL(`${folder}/`)));
    expect((await closed.inject('/console/')).body).toContain('<meta content="false">');
    await closed.close();
  });
});

describe('GET /v1/api-keys/current', () => {
  it('returns what the key of the request may do, and no secret', async () => {
    const api = await testApi();
    const { body, text } = await api.ask('GET', '/v1/api-keys/current', undefined, READ_KEY);
    expect(body.data).toMatchObject({ scopes: ['read'], name: READ_KEY.slice(0, 5) });
    expect(text).not.toContain(READ_KEY);
    const other = await api.ask('GET', '/v1/api-keys/current', undefined, OTHER_KEY);
    expect(other.body.data).toMatchObject({ organization_id: OTHER_ORGANIZATION_ID });
  });

  it('refuses an unknown key', async () => {
    const api = await testApi();
    expect((await api.ask('GET', '/v1/api-keys/current', undefined, 'x'.repeat(40))).status).toBe(401);
  });
});
