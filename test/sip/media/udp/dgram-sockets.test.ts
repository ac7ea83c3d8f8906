import { createDgramSockets } from '../../../../sip/media/udp/dgram-sockets.ts';
import { udpSocketsContract } from './udp-sockets-contract.ts';

udpSocketsContract('UDP over dgram', 17_500, (address, wake = () => undefined) => createDgramSockets(address, wake));
