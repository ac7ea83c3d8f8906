import { expect, it } from 'vitest';
import { sdpOfBody } from '../../../sip/sdp/sdp-body.ts';

const SDP = 'v=0\r\ns=-\r\n';
const ISUP = '--b\r\nContent-Type: application/isup;version=itu\r\n\r\n\u0001\u0000\r\n';

it.each([
  ['the whole body', 'application/sdp', SDP],
  ['the whole body, type with a parameter', 'Application/SDP ;charset=utf-8', SDP],
  [
    'the first of two parts',
    'multipart/mixed;boundary=b',
    `--b\r\nContent-Type: application/sdp\r\n\r\n${SDP}\r\n${ISUP}--b--`,
  ],
  [
    'the last, and without a line end',
    'multipart/mixed; boundary="b"',
    `${ISUP}--b \r\nContent-Id: <x>\r\ncontent-type : Application/SDP;a=b\r\n\r\nv=0\r\ns=-\r\n--b--\r\n`,
  ],
  [
    'after a preamble',
    'multipart/alternative;x=y;boundary=b',
    `for old readers\r\n--b\r\nContent-Type: application/sdp\r\n\r\n${SDP}\r\n--b--`,
  ],
])('finds the session description: %s', (_, type, body) => {
  expect(sdpOfBody(type, body)).toBe(SDP);
});

it.each([
  ['of another type', 'text/plain', SDP],
  ['without a boundary', 'multipart/mixed', `--b\r\nContent-Type: application/sdp\r\n\r\n${SDP}`],
  ['without an SDP part', 'multipart/mixed;boundary=b', `${ISUP}--b--`],
  [
    'with a longer boundary line',
    'multipart/mixed;boundary=b',
    `--bb\r\nContent-Type: application/sdp\r\n\r\n${SDP}\r\n--bb--`,
  ],
  ['with a part without an end of its headers', 'multipart/mixed;boundary=b', '--b\r\nContent-Type: application/sdp'],
])('finds none in a body %s', (_, type, body) => {
  expect(sdpOfBody(type, body)).toBeNull();
});
