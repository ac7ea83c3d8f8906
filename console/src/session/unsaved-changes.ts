let isUnsaved = false;

/** Called by the page, also when it is left. */
export function setUnsaved(given: boolean): void {
  isUnsaved = given;
}

/** Whether the page has changes that would be lost with the key in use. */
export function hasUnsaved(): boolean {
  return isUnsaved;
}
