/** Registration: 2 to 12 letters, digits, spaces or hyphens, so that every country has a way in. */
export function checkZipcode(input: string): 'zipcode_invalid' | null {
  return /^[A-Za-z0-9 -]{2,12}$/.test(input.trim()) ? null : 'zipcode_invalid';
}

/** A migration in a region whose configuration says `us`: 5 digits, or 5, a hyphen and 4. */
export function checkZipcodeUs(input: string): 'zipcode_invalid' | null {
  return /^[0-9]{5}(?:-[0-9]{4})?$/.test(input.trim()) ? null : 'zipcode_invalid';
}
