import { createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../service/rig/eventually.ts';
import { SDP } from '../../sip-endpoint/sip-phone.ts';
import { TcpPhone } from '../../sip-endpoint/tcp-phone.ts';
import { ServerRig } from '../server/server-rig.ts';

describe('keep-alives over TCP (RFC 5626 §4.4.1)', () => {
  it('are sent every 100 s on a connection that we opened, until it closes', async () => {
    const rig = await ServerRig.start();
    const sockets: Socket[] = [];
    let received = '';
    const trunk = createServer((socket) => {
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        received += chunk.toString();
      });
    });
    const port = await new Promise<number>((resolve) => {
      trunk.listen(0, '127.0.0.1', () => {
        const address = trunk.address();
        resolve(address !== null && typeof address === 'object' ? address.port : 0);
      });
    });
    const calling = rig.srf
      .createUAC(`sip:a@127.0.0.1:${port};transport=tcp`, { localSdp: SDP })
      .catch((error: Error) => error);
    await eventually(() => expect(received).toContain('INVITE'));
    received = '';
    rig.clock.advance(100_000);
    await eventually(() => expect(received).toBe('\r\n\r\n'));
    sockets[0]?.write('\r\n');
    rig.clock.advance(100_000);
    await eventually(() => expect(received).toBe('\r\n\r\n\r\n\r\n'));
    sockets[0]?.destroy();
    await calling;
    await eventually(() => expect(rig.server.statistics.connections).toBe(0));
    trunk.close();
    await rig.close();
    expect(rig.clock.pending).toBe(0);
  });

  it('are not sent on a connection that the peer opened; its own are answered', async () => {
    const rig = await ServerRig.start();
    const phone = await TcpPhone.open({ host: '127.0.0.1', port: rig.sipPort });
    let received = '';
    phone.socket.on('data', (chunk: Buffer) => {
      received += chunk.toString();
    });
    phone.socket.write(phone.text('OPTIONS', 1, rig.phone.uri));
    await phone.nextResponse(200);
    received = '';
    rig.clock.advance(200_000);
    phone.socket.write('\r\n\r\n');
    await eventually(() => expect(received).toBe('\r\n'));
    phone.socket.destroy();
    await rig.close();
  });

  it('do not keep a connection without messages open; several in one packet get one answer', async () => {
    const rig = await ServerRig.start();
    const phone = await TcpPhone.open({ host: '127.0.0.1', port: rig.sipPort });
    phone.socket.write('\r\n\r\n'.repeat(100));
    await eventually(() => expect(phone.heard).toBe('\r\n'));
    rig.clock.advance(29_999);
    phone.socket.write('\r\n\r\n');
    await eventually(() => expect(phone.heard).toBe('\r\n\r\n'));
    const closed = new Promise<void>((resolve) => phone.socket.on('close', () => resolve()));
    rig.clock.advance(1);
    await closed;
    await eventually(() => expect(rig.server.statistics).toMatchObject({ connections: 0, timers: 0 }));
    await rig.close();
  });
});
