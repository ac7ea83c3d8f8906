/**
 * Number ranges with special rates, by international prefix. Fraudsters earn from calls to them.
 *
 * Sources: the premium-rate, personal-number and shared-cost patterns of Google's libphonenumber metadata (public facts of
 * the national numbering plans), as of 2026, for the countries named; ITU-T's list of E.164 country codes for the codes
 * that belong to no country. Ireland's 15xx numbers share a prefix with Dublin and are missing; so are countries that are not
 * named. Operators who need certainty set ALLOWED_PREFIXES.
 */
export const PREMIUM_RANGES: readonly string[] = [
  // United States, Canada and the others of +1.
  '+1900',
  // United Kingdom: 09 and 087x, 084x (service charge), 070 (personal numbers, charged as mobile and more).
  ...['9', '87', '84', '70'].map((range) => `+44${range}`),
  // Germany: 0900, 0137, 0180 (service numbers), 118 (directory enquiries).
  ...['900', '137', '180', '118'].map((range) => `+49${range}`),
  // France: 081 to 089, less the free 080.
  ...['81', '82', '83', '84', '85', '86', '88', '89'].map((range) => `+33${range}`),
  // Spain: 803, 806, 807, 901, 902, 905.
  ...['803', '806', '807', '901', '902', '905'].map((range) => `+34${range}`),
  // Italy: 89x, 144, 163, 164, 166, 0878; 178 and 199 (personal numbers, charged as service numbers).
  ...['178', '199', '89', '144', '163', '164', '166', '0878'].map((range) => `+39${range}`),
  // Netherlands: 0900, 0906, 0909.
  ...['900', '906', '909'].map((range) => `+31${range}`),
  // Belgium: 090x, 070.
  ...['90', '70'].map((range) => `+32${range}`),
  // Switzerland: 0900, 0901, 0906.
  ...['900', '901', '906'].map((range) => `+41${range}`),
  // Austria: 0900, 0901, 0930, 0931, 0939, and the older 086x and 089x.
  ...['900', '901', '930', '931', '939', '86', '89'].map((range) => `+43${range}`),
  // Portugal: 60x, 64x and 76x.
  ...['601', '607', '608', '646', '648', '760', '761', '762'].map((range) => `+351${range}`),
  // Sweden: 0900, 0939, 0944, 099x, 0649.
  ...['900', '939', '944', '99', '649'].map((range) => `+46${range}`),
  // Poland: 70x.
  '+4870',
  // Australia: 190x.
  '+61190',
  // Codes of no country: shared cost, premium rate, personal numbers, satellite networks, international networks.
  ...['808', '979', '878', '870', '881', '882', '883'].map((code) => `+${code}`),
];
