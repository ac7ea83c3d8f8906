import type { CountryCode } from 'libphonenumber-js/max';
import type { SipTrunkRecord } from '../../storage/telephony/sip-trunk-repository.ts';

/** The trunks that a call of the organization may use, and the trunk of its own number. */
export interface Dialler {
  /** All trunks of the organization. */
  readonly trunks: readonly DialledTrunk[];
  /** The trunk of the call's own number: its country is that of numbers at other hosts. null: none. */
  readonly own: DialledTrunk | null;
}

/** The fields of a trunk that the policy reads. */
export type DialledTrunk = Pick<SipTrunkRecord, 'terminationUri' | 'transport' | 'allowedAddresses' | 'country'>;

/** Dials numbers in E.164 only. */
export const NO_TRUNKS: Dialler = { trunks: [], own: null };

/**
 * `destination`: the form that was judged, and the only one that may be dialled: `+` and digits, or a SIP URI whose user part is `+` and
 * digits, a listed extension, or a name. `reason`: why nothing may be dialled.
 */
export type Ruling =
  | { readonly ok: true; readonly destination: string }
  | { readonly ok: false; readonly reason: string };

/** The one policy for every destination that a call may be sent to. */
export type DestinationPolicy = (destination: string, dialler: Dialler) => Ruling;

/** Judges a number as dialled in a country; null: unknown. */
export type JudgeNumber = (text: string, country: CountryCode | null) => Ruling;
