package com.copperline.freight

import com.acme.load.Load
import java.util.regex.Pattern
import scala.collection.mutable
import scala.util.Random

/** Reads the sheets that shunting yards send and puts their wagons into an order that needs few moves. */
object WagonSheets:

  enum Line:
    case Consist(yard: String, wagons: Vector[Int])
    case Remark(text: String)

  final case class Plan(yard: String, moves: Int, tonnes: Double)

  /** Tells lists of wagons ("4711,4712-4713,88;") from what the shunters remark in between. */
  final class SheetParser:
    private val wagons = Pattern.compile("(?:\\d+[,-]?)+;") // [edit]
    // [new] private val wagons = Pattern.compile("\\d+(?:[,-]\\d+)*+[,-]?;")

    def parse(yard: String, line: String): Line =
      if wagons.matcher(line).matches() then // [call]
        Line.Consist(yard, line.split("[,;-]").iterator.filter(_.nonEmpty).map(_.toInt).toVector)
      else Line.Remark(line)

  /** Counts the moves that sort a train with one siding, by the longest run that may stay as it is. */
  trait Shunting:
    def weight(wagon: Int): Double = 18 + (wagon * 7919L % 613) / 10.0

    def stay(wagons: Vector[Int]): Int =
      val best = new Array[Int](wagons.size)
      for i <- wagons.indices do
        best(i) = 1
        for j <- 0 until i do
          if wagons(j) < wagons(i) && best(j) + 1 > best(i) then best(i) = best(j) + 1
      best.maxOption.getOrElse(0)

    def plan(yard: String, trains: Seq[Vector[Int]]): Plan =
      val all = trains.flatten.toVector
      Plan(yard, all.size - stay(all), all.map(weight).sum)

  final class Dispatcher(sheets: IndexedSeq[(String, Seq[String])]) extends Shunting:
    private val parser = SheetParser()
    private val remarks = mutable.Map.empty[String, Int]
    private var turn = 0

    def next(): Plan =
      val (yard, lines) = sheets(turn % sheets.size)
      turn += 1
      val parsed = lines.map(parser.parse(yard, _))
      parsed.foreach {
        case Line.Remark(text) => remarks.updateWith(text.takeWhile(_ != ' '))(seen => Some(seen.getOrElse(0) + 1))
        case _                 => ()
      }
      plan(yard, parsed.collect { case Line.Consist(_, wagons) => wagons })

  private def sheet(random: Random, number: Int): (String, Seq[String]) =
    def wagons(count: Int) = Seq.fill(count)(1000 + random.nextInt(9000)).mkString(",")
    val lines = Seq.tabulate(40) { i =>
      i % 8 match
        case 3 | 6 => s"${wagons(2)} brakes checked"
        case 5 => "yard closed until noon"
        case _ => wagons(8) + ";"
    }
    (s"yard-$number", lines)

  def main(args: Array[String]): Unit =
    val random = Random(12)
    val sheets = IndexedSeq.tabulate(20)(sheet(random, _))
    Load.onThreads(
      2,
      "dispatch",
      () =>
        val dispatcher = Dispatcher(sheets)
        () => Load.kept = dispatcher.next()
    )
