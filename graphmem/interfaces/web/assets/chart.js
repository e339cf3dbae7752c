// A chart. NiceGUI's own element waits before it makes one, and writes an error if the page is left in the meantime.
import { echarts } from "nicegui-echart";

export default {
  template: "<div></div>",
  props: { options: Object, renderer: String },
  mounted() {
    this.chart = echarts.init(this.$el, null, { renderer: this.renderer });
    this.chart.on("click", (event) => {
      this.$emit("componentClick", event);
      this.$emit("chart:click", event);
    });
    this.observer = new ResizeObserver(() => this.chart.resize());
    this.observer.observe(this.$el);
    this.update_chart();
  },
  beforeUnmount() {
    this.observer?.disconnect();
    this.chart?.dispose();
  },
  methods: {
    update_chart() {
      this.chart.setOption(this.options, { notMerge: true });
    },
  },
};
