/** Unpacks the Chromium that npm brings into the temporary folder, with the libraries of AL2023, then ends. */
import bundled from '@sparticuz/chromium';

await bundled.executablePath();
