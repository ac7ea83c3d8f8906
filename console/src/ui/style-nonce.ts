/** The nonce that the service gave this page for style elements. */
export const STYLE_NONCE = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? '';

/** Dialogs write a style element while they lock the scrolling: their package reads the nonce under this name. */
export function adoptNonce(): void {
  Object.assign(window, { __webpack_nonce__: STYLE_NONCE });
}
