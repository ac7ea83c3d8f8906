export interface RtpSettings {
  readonly bind: string;
  readonly ports: { readonly first: number; readonly last: number };
  /** `auto`: epoll sockets where they work, otherwise `dgram`. */
  readonly sockets: 'auto' | 'dgram';
  /** Packet lateness above which new calls are refused. */
  readonly admissionLatenessMs: number;
}
