/** Words that introduce a number of another kind than the entities, in seven languages, without diacritics. */
const OTHER_NUMBERS =
  /\b(?:order|contract|contrat|contrato|contratto|vertrags?\w*|barcode|tracking|invoice|ticket|booking|reservation|reference|serial|case|claim|policy|flight|article|item|part|model|meter|parcel|shipment|bestell\w*|auftrags?\w*|rechnungs?\w*|sendungs?\w*|buchungs?\w*|vorgangs?\w*|serien\w*|artikel\w*|ticket\w*|zahler\w*|kundennummer|commande|facture|suivi|dossier|colis|reservation|compteur|pedido|factura|seguimiento|reserva|expediente|serie|articulo|articolo|artigo|contador|ordine|fattura|spedizione|prenotazione|pratica|tracciamento|contatore|bestelling|bestelnummer|factuur\w*|zending\w*|boeking\w*|dossiernummer|ordernummer|serienummer|encomenda|fatura|rastreio|rastreamento|processo|protocolo|contagem|protocol|contador|population|einwohner|habitants|habitantes|abitanti|inwoners)\b/;
/** Money, sizes and times after a number. */
const UNITS =
  /^[\s.,]*(?:€|\$|£|%|(?:euros?|dollars?|pounds?|cents?|reais|real|pesos?|francs?|franken|percent|prozent|pour cent|por ciento|per cento|procent|kilo\w*|km|meters?|metros?|metri|metres?|people|personen|personnes|personas|persone|pessoas|steps|views|bytes|uhr|hours?|days|tage|jours|dias|giorni|dagen|years|jahre|ans|anos|anni|jaar|million\w*|inhabitants|einwohner|habitants|habitantes|abitanti|inwoners|stuck|units|pieces)\b)/;
const MONEY_BEFORE = /(?:€|\$|£|\b(?:eur|usd|gbp))\s*$/;

/** Whether the words beside a number say that it is an order, a price, a count. */
export function isOtherNumber(before: string, after: string): boolean {
  return OTHER_NUMBERS.test(before) || UNITS.test(after) || MONEY_BEFORE.test(before);
}
