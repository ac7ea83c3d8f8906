import { connect, createServer } from 'node:net';
import { TlsFiles } from '../server/tls-files.ts';
import { foreignAddresses } from './foreign-addresses.ts';
import { startInThread } from './in-thread.ts';

/** The embedded server at the addresses where the suite looks for a drachtio-server, until it is interrupted. */
const addresses = foreignAddresses(process.env);
if (addresses === null) throw new Error('DRACHTIO_URL is not set');
const { control, sip, tls, pair } = addresses;

const files = tls && new TlsFiles(tls.folder);
const server = await startInThread({
  ...sip,
  secret: control.secret,
  pair,
  ...(tls &&
    files && {
      tls: {
        certificate: { ...files.certificate('server', [`IP:${tls.host}`]), port: tls.port },
        authorityPath: files.authorityPath,
        verify: true,
      },
    }),
});
// The embedded server chooses the port of its control connection by itself.
createServer((socket) => {
  const inner = connect(server.port, server.host);
  for (const [one, other] of [
    [socket, inner],
    [inner, socket],
  ] as const) {
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
    one.pipe(other);
  }
}).listen(control.port, control.host, () => console.log(`serving at ${control.host}:${control.port}`));
