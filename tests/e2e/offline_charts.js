// Stands in for Google Charts, which the plugin loads from the internet: tables instead of charts.
(() => {
  const SHOWN_ROWS = 12;
  class DataTable {
    constructor() { this.columns = []; this.rows = []; }
    addColumn(type, label) {
      const column = typeof type === "object" ? type : { type, label };
      return this.columns.push(column) - 1;
    }
    addRow(row) { return this.addRows([row]); }
    addRows(rows) { return this.rows.push(...rows) - 1; }
    setProperty() {}
    setRowProperty() {}
    getNumberOfRows() { return this.rows.length; }
    getValue(row, column) { return this.rows[row][column]; }
  }
  const arrayToDataTable = ([head, ...rows]) => {
    const table = new DataTable();
    for (const column of head) {
      table.addColumn(typeof column === "object" ? column : { label: column });
    }
    table.addRows(rows);
    return table;
  };
  const text = (value) => (value !== null && typeof value === "object" ? (value.f ?? value.v) : value) ?? "";
  class Chart {
    constructor(element) { this.element = element; }
    draw(data) {
      const kept = data.columns.map((column, at) => (column.role ? -1 : at)).filter((at) => at >= 0);
      const table = document.createElement("table");
      table.style.fontSize = "12px";
      const add = (cells) => {
        const row = table.insertRow();
        for (const cell of cells) {
          const place = row.insertCell();
          place.textContent = typeof cell === "number" ? Math.round(cell * 100) / 100 : String(cell).slice(0, 80);
          place.style.padding = "0 8px";
        }
      };
      add(kept.map((at) => data.columns[at].label ?? ""));
      data.rows.slice(0, SHOWN_ROWS).forEach((row) => add(kept.map((at) => text(row[at]))));
      this.element.replaceChildren(table);
    }
    clearChart() {}
    getSelection() { return []; }
    setSelection() {}
  }
  const names = ["Table", "PieChart", "LineChart", "ComboChart", "ColumnChart", "SteppedAreaChart", "Timeline"];
  const visualization = { DataTable, arrayToDataTable, events: { addListener() {}, removeListener() {} } };
  for (const name of names) visualization[name] = Chart;
  window.google = { charts: { load: () => Promise.resolve(), setOnLoadCallback: (f) => f() }, visualization };
})();
