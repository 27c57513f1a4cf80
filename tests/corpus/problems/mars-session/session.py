# A program that uses a cluster, and describes none.
import xorbits
import xorbits.pandas as pd

xorbits.init()
pd.read_csv("/data/a.csv").sum()
