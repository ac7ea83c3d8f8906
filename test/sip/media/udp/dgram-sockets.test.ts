import { createDgramSockets } from '../../../../sip/media/udp/dgram-sockets.ts';
import { udpSocketsContract } from './udp-sockets-contract.ts';

udpSocketsContract('UDP over dgram', 29_000, (address, wake = () => undefined) => createDgramSockets(address, wake));
