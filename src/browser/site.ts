/** What every page loads: it brings to life what the page holds, and reading needs none of it. */

document.documentElement.classList.add('js');
