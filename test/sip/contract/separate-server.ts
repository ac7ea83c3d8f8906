import { connect, createServer } from 'node:net';
import { TlsFiles } from '../server/tls-files.ts';
import { drachtioAddresses } from './drachtio-addresses.ts';
import { startInThread } from './in-thread.ts';

/** Serves the embedded server at the addresses of a drachtio-server, until it is interrupted. */
const addresses = drachtioAddresses(process.env);
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
// Forwards the configured control port, since the embedded server chooses its own.
createServer((socket) => {
  const inner = connect(server.port, server.host);
  for (const [from, to] of [
    [socket, inner],
    [inner, socket],
  ] as const) {
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.pipe(to);
  }
}).listen(control.port, control.host, () => console.log(`serving at ${control.host}:${control.port}`));
